import type { CategoryNode } from '../../input/records/category-cycles.ts';

/**
 * Sorts categories into layers, in order of creation: the parents of a layer are in earlier layers, or not among the
 * categories. Their originIds must be distinct. The input refuses cycles of parents. Members of one would come last,
 * and the service would refuse them.
 */
export function layersOf<T extends CategoryNode>(categories: readonly T[]): readonly (readonly T[])[] {
  const originIds = new Set<string | undefined>(categories.map(({ originId }) => originId));
  const children = new Map<string | undefined, T[]>();
  for (const category of categories) {
    const { parentOriginId } = category;
    const parent = originIds.has(parentOriginId) ? parentOriginId : undefined;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [category]);
    else siblings.push(category);
  }
  const layers: T[][] = [];
  let layer = children.get(undefined) ?? [];
  while (layer.length > 0) {
    layers.push(layer);
    layer = layer.flatMap(({ originId }) => children.get(originId) ?? []);
  }
  const sorted = new Set(layers.flat());
  const cyclic = categories.filter((category) => !sorted.has(category));
  return cyclic.length === 0 ? layers : [...layers, cyclic];
}
