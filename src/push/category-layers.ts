/** A category as far as its place in the tree goes. */
interface Child {
  readonly originId: string;
  readonly parentOriginId?: string;
}

/** Categories in the order they can be created, and why some cannot. */
export interface CategoryLayers<T> {
  /** Parents before their children: what a layer needs is in the layers before it, or not among the categories. */
  readonly layers: readonly (readonly T[])[];
  /** For each category that is its own ancestor, or below one that is: the cycle in words. */
  readonly cycles: ReadonlyMap<T, string>;
}

/** So many members of a cycle are named. */
const namedMaximum = 10;

/** Sorts categories so that each comes after its parent. Their originIds are distinct. */
export function layersOf<T extends Child>(categories: readonly T[]): CategoryLayers<T> {
  const byOriginId = new Map(categories.map((category) => [category.originId, category]));
  const parentOf = ({ parentOriginId }: T) =>
    parentOriginId === undefined ? undefined : byOriginId.get(parentOriginId);
  const children = new Map<T, T[]>();
  const left = new Set(categories);
  let layer: T[] = [];
  for (const category of categories) {
    const parent = parentOf(category);
    const siblings = parent === undefined ? layer : children.get(parent);
    if (siblings !== undefined) siblings.push(category);
    else if (parent !== undefined) children.set(parent, [category]);
  }
  const layers: T[][] = [];
  while (layer.length > 0) {
    layers.push(layer);
    for (const category of layer) left.delete(category);
    layer = layer.flatMap((category) => children.get(category) ?? []);
  }
  return { layers, cycles: cyclesOf(left, parentOf) };
}

/** The cycle above each of `categories`, all of which have a parent among them. */
function cyclesOf<T extends Child>(
  categories: ReadonlySet<T>,
  parentOf: (category: T) => T | undefined,
): Map<T, string> {
  const cycles = new Map<T, string>();
  for (const category of categories) {
    const way = new Set<T>();
    let at: T | undefined = category;
    while (at !== undefined && !way.has(at) && !cycles.has(at)) {
      way.add(at);
      at = parentOf(at);
    }
    if (at === undefined) continue;
    const steps = [...way];
    const cycle = cycles.get(at) ?? inWords(steps.slice(steps.indexOf(at)));
    for (const step of steps) cycles.set(step, cycle);
  }
  return cycles;
}

function inWords(members: readonly Child[]): string {
  const [first] = members;
  const named = members.slice(0, namedMaximum).map(({ originId }) => originId);
  const rest = members.length > namedMaximum ? ['…'] : [];
  return [...named, ...rest, first?.originId ?? ''].join(' > ');
}
