import { type CategoryNode, findCycles } from '../../input/records/category-cycles.ts';

/** Categories in order of creation, and the reasons why some cannot be created. */
interface CategoryLayers<T> {
  /** Parents before their children: the parents of a layer are in earlier layers, or not among the categories. */
  readonly layers: readonly (readonly T[])[];
  /** The cycle as text, for each category that is its own ancestor, or a descendant of one. */
  readonly cycles: ReadonlyMap<T, string>;
}

/** Sorts categories so that each comes after its parent. Their originIds must be distinct. */
export function layersOf<T extends CategoryNode>(categories: readonly T[]): CategoryLayers<T> {
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
  return { layers, cycles: findCycles(left, parentOf) };
}
