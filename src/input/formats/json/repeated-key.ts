import type { Json } from '../../../base/json.ts';

/**
 * Follows the braces and keys of one JSON value and finds the first key that an object has twice. Parsers silently use
 * the last one.
 */
export class RepeatedKey {
  /** The path of the key, with dots; undefined if there is none so far. */
  found: string | undefined;
  readonly #scopes: { readonly path: string; readonly keys: Set<string> }[] = [];
  /** The path of the next value. */
  #path = '';

  /** Begins an object or an array; the elements of an array have its path. */
  open(): void {
    this.#scopes.push({ path: this.#path, keys: new Set() });
  }

  close(): void {
    this.#path = this.#scopes.pop()?.path ?? '';
  }

  key(name: string): void {
    const scope = this.#scopes.at(-1);
    if (scope === undefined) return;
    this.#path = scope.path === '' ? name : `${scope.path}.${name}`;
    if (scope.keys.has(name)) this.found ??= this.#path;
    else scope.keys.add(name);
  }
}

/** The path of the first repeated key in `written`, whose parsed value is `value`. */
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
  const keys = new RepeatedKey();
  for (const [token, text, colon] of written.matchAll(keyOrBracket)) {
    if (token === '{' || token === '[') keys.open();
    else if (text === undefined) keys.close();
    else if (colon !== undefined) keys.key(JSON.parse(text) as string);
    if (keys.found !== undefined) break;
  }
  return keys.found;
}
