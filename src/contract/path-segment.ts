/** Segments that a proxy or a server may resolve or drop. */
const steps: ReadonlySet<string> = new Set(['', '.', '..']);

/**
 * True if an id is a safe path segment when percent-encoded. Some proxies and servers decode it before they split the
 * path, and an unsafe id would reach another record or operation.
 */
export function isPathSegment(id: string): boolean {
  return id.isWellFormed() && !/\p{Cc}/u.test(id) && !id.split(/[/\\]/).some((part) => steps.has(part));
}
