import type { WireReply } from '../contract/wire.ts';

/** The statuses that always mean that a request was refused because there are too many. */
export const defaultOverloadStatuses: readonly number[] = [429];

/** The page that nginx sends for requests beyond its limits (`limit_req`, `limit_conn`), without forwarding them. */
const limitPage = /<center>nginx\b/;

/**
 * True if a reply refuses a request because there are too many, so that it had no effect. This is one of `statuses`, or
 * a 503 with Retry-After or with the page of a proxy's own limit. Any other 503 may come after the effect, from a proxy
 * that had forwarded the request.
 */
export function isOverloaded({ status, headers, body }: WireReply, statuses: readonly number[]): boolean {
  if (statuses.includes(status)) return true;
  return status === 503 && (headers['retry-after'] !== undefined || limitPage.test(body.slice(0, 1000)));
}
