/** What a proxy or a server takes for a step within the path, or leaves out of it: nothing, `.` and `..`. */
const steps: ReadonlySet<string> = new Set(['', '.', '..']);

/**
 * Whether an id means itself as a part of a path, percent-encoded, to whoever reads it on the way: some decode it
 * before they look for slashes and dots, and would then reach another record, or another operation.
 */
export function isPathSegment(id: string): boolean {
  return id.isWellFormed() && !/\p{Cc}/u.test(id) && !id.split(/[/\\]/).some((part) => steps.has(part));
}
