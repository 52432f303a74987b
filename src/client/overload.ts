import type { WireReply } from '../contract/wire.ts';

/** The statuses that say by themselves that a request was refused because there are too many. */
export const defaultOverloadStatuses: readonly number[] = [429];

/** The page with which nginx answers what its limits refuse (`limit_req`, `limit_conn`): it never forwards that. */
const limitPage = /<center>nginx\b/;

/**
 * Whether a reply refuses a request because there are too many, so that it had no effect: one of `statuses`, and a 503
 * that says when to come back or is the page of a proxy's own limit. Any other 503 may come after the effect, from a
 * proxy that had forwarded the request.
 */
export function isOverloaded({ status, headers, body }: WireReply, statuses: readonly number[]): boolean {
  if (statuses.includes(status)) return true;
  return status === 503 && (headers['retry-after'] !== undefined || limitPage.test(body.slice(0, 1000)));
}
