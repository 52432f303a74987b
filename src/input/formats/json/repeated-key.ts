import type { Json } from '../../../base/json.ts';

/**
 * The path, with dots, of the first key that an object in `written` has twice; parsers silently use the last one.
 * `value` is the parsed text.
 */
export function repeatedKeyIn(written: string, value: Json): string | undefined {
  // Few texts have more apparent keys than their value has keys; only these are examined.
  return countKeyLike(written) > countKeys(value) ? findRepeated(written) : undefined;
}

const space = 0x20;
const quote = 0x22;

/** The number of colons after a quote: those of all keys, and some within texts. */
function countKeyLike(written: string): number {
  let count = 0;
  for (let colon = written.indexOf(':'); colon !== -1; colon = written.indexOf(':', colon + 1)) {
    let before = colon - 1;
    while (written.charCodeAt(before) <= space) before -= 1;
    if (written.charCodeAt(before) === quote) count += 1;
  }
  return count;
}

function countKeys(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  let count = Array.isArray(value) ? 0 : inner.length;
  for (const child of inner) count += countKeys(child);
  return count;
}

/** A string, with the colon that makes it a key, or a bracket. A string without its end is none, but read only once. */
const keyOrBracket = /("(?:[^"\\]|\\.)*(?:"|\\?$))(\s*:)?|[{}[\]]/gs;

function findRepeated(written: string): string | undefined {
  /** The keys of the objects and arrays around, and the path of each; the elements of an array have its path. */
  const scopes: { readonly path: string; readonly keys: Set<string> }[] = [];
  let path = '';
  for (const [token, text, colon] of written.matchAll(keyOrBracket)) {
    if (token === '{' || token === '[') scopes.push({ path, keys: new Set() });
    else if (text === undefined) path = scopes.pop()?.path ?? '';
    else if (colon !== undefined) {
      const { path: outer = '', keys = new Set() } = scopes.at(-1) ?? {};
      const name = JSON.parse(text) as string;
      path = outer === '' ? name : `${outer}.${name}`;
      if (keys.has(name)) return path;
      keys.add(name);
    }
  }
  return undefined;
}
