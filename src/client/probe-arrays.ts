import { Failure } from '../base/failure.ts';
import { firstMaximum } from '../contract/limits.ts';
import type { Api } from './caller.ts';
import { lookUp } from './look-up.ts';

/** The result of requesting two products by an array parameter (assumption `arrayQuery`). */
type ArrayProbe =
  | { readonly kind: 'proven' }
  | { readonly kind: 'misread'; readonly finding: string }
  /** The service lists fewer than two originIds, so nothing can be proven. */
  | {
      readonly kind: 'unprovable';
      readonly originIds: readonly string[];
      /** True if it lists products without an originId: they have none, or the service does not show it. */
      readonly hasUnnamed: boolean;
    };

/** Extra products that a service may have under the same originIds: copies created by mistake. */
const copiesMaximum = 10;

/** Looks up products by originId. */
export function lookUpProducts(api: Api, originIds: readonly string[]) {
  const recordsMaximum = originIds.length + copiesMaximum;
  const bounds = { recordsMaximum, recordsExpected: originIds.length };
  return lookUp(api, 'listProducts', { originIds: [...originIds] }, bounds);
}

/**
 * Requests two of the products that the service lists, by originId. Sends two requests, which change nothing.
 * @throws ServiceFailure if the service does not answer a list.
 */
export async function probeArrays(api: Api): Promise<ArrayProbe> {
  const { originIds, hasUnnamed } = await listedOriginIds(api);
  const [one, other] = originIds;
  if (one === undefined || other === undefined) return { kind: 'unprovable', originIds, hasUnnamed };
  const asked = `asked for the originIds '${one}' and '${other}', which it lists,`;
  const shown = await shownOf(api, [one, other]);
  if (typeof shown === 'string') return { kind: 'misread', finding: `${asked} the service ${shown}` };
  if (shown.size === 2) return { kind: 'proven' };
  const [only] = shown;
  const sent = only === undefined ? 'no product' : `the product '${only}' alone`;
  return { kind: 'misread', finding: `${asked} the service sent ${sent}` };
}

/** The maximum number of pages to search for originIds. Products created in the shop's administration may have none. */
const pagesMaximum = 10;

/** The originIds of the first page with two, or of all pages if none has two; and whether some records show none. */
async function listedOriginIds(api: Api) {
  const originIds = new Set<string>();
  let hasUnnamed = false;
  let after: string | undefined;
  for (let page = 1; page <= pagesMaximum && originIds.size < 2; page += 1) {
    const query = { first: firstMaximum, ...(after === undefined ? {} : { after }) };
    const { value, unreadable = 0 } = await api.call('listProducts', { query });
    hasUnnamed ||= unreadable > 0;
    for (const { originId } of value.data) {
      if (originId) originIds.add(originId);
      else hasUnnamed = true;
    }
    after = value.pageInfo?.endCursor || undefined;
    if (!value.pageInfo?.hasNextPage || after === undefined) break;
  }
  return { originIds: [...originIds], hasUnnamed };
}

/** The originIds of the reply, or the problem: other products, missing originIds, or a refused request. */
async function shownOf(
  api: Api,
  originIds: readonly string[],
): Promise<
  ReadonlySet<string> | 'sent other products' | 'sent products without an originId' | 'refused the request'
> {
  const shown = new Set<string>();
  try {
    for await (const { records } of lookUpProducts(api, originIds)) {
      for (const { originId } of records) {
        if (!originId) return 'sent products without an originId';
        shown.add(originId);
      }
    }
    return shown;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.kind === 'contradictory-reply') return 'sent other products';
    // The kind of failure of a refused list.
    if (error.kind === 'usage') return 'refused the request';
    throw error;
  }
}
