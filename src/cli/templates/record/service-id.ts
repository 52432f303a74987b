import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { sentenceList } from '../../../base/sentence-list.ts';
import { paginate } from '../../../client/paginate.ts';
import { isUnderWay } from '../../../push/decide/decide.ts';
import { accountNote, journalPlace, readPushJournal } from '../../../store/open-store.ts';
import { checkAccount } from '../../../store/state/account-note.ts';
import type { Invocation } from '../../runtime/command.ts';
import { openState, type StateFlags } from '../../runtime/find-state.ts';
import type { Session } from '../../runtime/session.ts';
import { jobLookupExample } from '../push/journaled-push.ts';
import { nounOf, searchOf } from './path-arguments.ts';

/**
 * Finds the service's id for an originId: a product in the list of products, an order or an item in the journal.
 * @throws Failure('usage') if several products have it; Failure('not-found') if no record is known by it; as
 * `openState` and `checkAccount`.
 */
export function serviceId(
  parameter: string,
  originId: string,
  service: Session,
  invocation: Invocation<StateFlags>,
): Promise<string> {
  return searchOf(parameter) === 'list'
    ? productId(originId, service)
    : journaledId(parameter, originId, service, invocation);
}

/** A service may ignore the filter, so only products with this originId count. */
async function productId(originId: string, { api }: Session): Promise<string> {
  const ids: string[] = [];
  for await (const { records } of paginate(api, 'listProducts', { originIds: [originId] })) {
    for (const product of records) if (product.originId === originId) ids.push(product.id);
  }
  const [only, other] = ids;
  if (only === undefined) {
    throw new Failure(
      'not-found',
      `listProducts: the service has no product with the originId '${originId}'`,
      hint`to see those it has: ${reviewctl`products list --fields id,originId,name`}`,
    );
  }
  if (other === undefined) return only;
  throw new Failure(
    'usage',
    `listProducts: the products ${sentenceList(ids, 'and')} have the same originId '${originId}'`,
    hint`pass the id of one of them: ${reviewctl`products get ${only}`}`,
  );
}

/** The id of an order or an item, learned from the job that created it. */
async function journaledId(
  parameter: string,
  originId: string,
  { account, api }: Session,
  invocation: Invocation<StateFlags>,
): Promise<string> {
  const state = await openState(invocation, { isReadOnly: true });
  await checkAccount(accountNote(state), account);
  const journal = await readPushJournal(state);
  invocation.defer(() => journal.close());
  const known = await journal.known(parameter === 'orderId' ? 'order' : 'order-item', [originId]);
  const found = known.get(originId);
  if (found?.objectId !== undefined) return found.objectId;
  const noun = nounOf(parameter);
  const made = parameter === 'orderId' ? 'the order whole (setting create-orders)' : 'it';
  const lookup = api.supports('getJob') ? [] : jobLookupExample;
  // A push follows that job only while its file is unchanged since it was sent.
  const learn =
    found !== undefined && isUnderWay(found)
      ? reviewctl`jobs wait ${lookup}`
      : reviewctl`orders push FILE --wait ${lookup}`;
  throw new Failure(
    'not-found',
    `the journal ${journalPlace(state).path} does not show the id of the ${noun} with the originId '${originId}'`,
    hint`to learn it from the job that created ${made}: ${learn}; or pass the id assigned by the service`,
  );
}
