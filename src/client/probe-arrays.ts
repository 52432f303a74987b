import { Failure } from '../base/failure.ts';
import { firstMaximum } from '../contract/limits.ts';
import type { Api } from './caller.ts';
import { lookUp } from './look-up.ts';

/**
 * What the service makes of an array parameter (assumption `arrayQuery`), found out by asking for two products it has.
 */
export type ArrayProbe =
  | { readonly kind: 'proven' }
  | { readonly kind: 'misread'; readonly finding: string }
  /** It lists fewer than two originIds, which are these: there is nothing to ask by. */
  | { readonly kind: 'unprovable'; readonly originIds: readonly string[] };

/**
 * Asks for two products that the service lists, by their originIds, and for nothing else. Two requests, which change
 * nothing.
 * @throws ServiceFailure when the service does not answer a list at all.
 */
export async function probeArrays(api: Api): Promise<ArrayProbe> {
  const originIds = await listedOriginIds(api);
  const [one, other] = originIds;
  if (one === undefined || other === undefined) return { kind: 'unprovable', originIds };
  const asked = `asked for the originIds '${one}' and '${other}', which it lists,`;
  const shown = await shownOf(api, [one, other]);
  if (shown === undefined) return { kind: 'misread', finding: `${asked} the service sent other products` };
  if (shown.size === 2) return { kind: 'proven' };
  const [only] = shown;
  const sent = only === undefined ? 'no product' : `the product '${only}' alone`;
  return { kind: 'misread', finding: `${asked} the service sent ${sent}` };
}

/** Pages that are looked through for originIds; products that somebody made by hand may have none. */
const pagesMaximum = 10;

/** Those of the first page that names two, or of all pages where none does. */
async function listedOriginIds(api: Api): Promise<readonly string[]> {
  const originIds = new Set<string>();
  let after: string | undefined;
  for (let page = 1; page <= pagesMaximum && originIds.size < 2; page += 1) {
    const query = { first: firstMaximum, ...(after === undefined ? {} : { after }) };
    const { value } = await api.call('listProducts', { query });
    for (const { originId } of value.data) if (originId) originIds.add(originId);
    after = value.pageInfo?.endCursor || undefined;
    if (!value.pageInfo?.hasNextPage || after === undefined) break;
  }
  return [...originIds];
}

/** The originIds of what the service sends for these, or undefined where it sends others, or refuses the question. */
async function shownOf(api: Api, originIds: string[]): Promise<ReadonlySet<string> | undefined> {
  const shown = new Set<string>();
  try {
    for await (const { records } of lookUp(api, 'listProducts', { originIds })) {
      for (const { originId } of records) if (originId) shown.add(originId);
    }
    return shown;
  } catch (error) {
    const isMisread = error instanceof Failure && ['contradictory-reply', 'refused'].includes(error.kind);
    if (isMisread) return undefined;
    throw error;
  }
}
