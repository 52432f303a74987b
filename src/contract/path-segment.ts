/** Segments that a proxy or a server resolves or drops: the empty one, `.` and `..`. */
const steps: ReadonlySet<string> = new Set(['', '.', '..']);

/**
 * Whether an id is a safe path segment once it is percent-encoded: some proxies and servers decode it before
 * they split the path, and would reach another record or operation.
 */
export function isPathSegment(id: string): boolean {
  return id.isWellFormed() && !/\p{Cc}/u.test(id) && !id.split(/[/\\]/).some((part) => steps.has(part));
}
