import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { LackingPayment, LedgerCustody } from '../../store/ledger/ledger-custody.ts';

/** The maximum number of missing payments that a message names. */
const namedMaximum = 20;

/**
 * Checks that a restored ledger may pay again; any other ledger passes.
 * @throws Failure('guard') while a statement shows a payment of a reward that is not paid in the ledger. Unless a
 *   person sets `isWithoutStatement`, also while no statement was compared, or while one shows a payment of no known
 *   reward.
 */
export async function checkRestored(
  ledger: Pick<Ledger, 'find' | 'meta'> & { readonly custody: Pick<LedgerCustody, 'lacking'> },
  { isWithoutStatement }: { readonly isWithoutStatement: boolean },
): Promise<void> {
  const { restoration } = await ledger.meta();
  if (restoration === null) return;
  const lacking = await ledger.custody.lacking();
  const unpaid = await stillUnpaid(ledger, lacking);
  if (unpaid.length > 0) throw lacksPayments(unpaid);
  if (isWithoutStatement) return;
  if (restoration.comparedAtMs === null) throw neverCompared();
  const foreign = lacking.filter(({ rewardId }) => rewardId === null);
  if (foreign.length > 0) throw foreignPayments(foreign);
}

/** The rewards of these payments that are not paid in the ledger. */
async function stillUnpaid(
  ledger: Pick<Ledger, 'find'>,
  lacking: readonly LackingPayment[],
): Promise<readonly string[]> {
  const unpaid: string[] = [];
  for (const { rewardId } of lacking) {
    if (rewardId !== null && (await ledger.find(rewardId))?.payment !== 'paid') unpaid.push(rewardId);
  }
  return unpaid;
}

/**
 * The rewards that an earlier statement showed as paid, that are not paid in the ledger, and that this statement omits:
 * it is incomplete, or the earlier one was of another payer.
 */
export async function missingIn(
  lacking: readonly LackingPayment[],
  ledger: Pick<Ledger, 'find'> & { readonly custody: Pick<LedgerCustody, 'lacking'> },
): Promise<readonly string[]> {
  const shown = new Set(lacking.map(({ rewardId }) => rewardId));
  const earlier = await ledger.custody.lacking();
  return stillUnpaid(
    ledger,
    earlier.filter(({ rewardId }) => !shown.has(rewardId)),
  );
}

function lacksPayments(ids: readonly string[]): Failure {
  const named = ids.slice(0, namedMaximum);
  const shown = named.join(' ');
  const rest = ids.length > namedMaximum ? ` and ${ids.length - namedMaximum} more` : '';
  return new Failure(
    'guard',
    `the payer paid ${ids.length === 1 ? 'a reward' : `${ids.length} rewards`} that this restored ledger ` +
      `does not have as paid: ${shown}${rest}; it stays frozen`,
    hint`record them as paid: ${reviewctl`ledger resolve --paid --ref … ${named}`}${rest === '' ? '' : ' …'};
      then: ${reviewctl`ledger unfreeze`}`,
  );
}

function neverCompared(): Failure {
  return new Failure(
    'guard',
    'this ledger was restored, and its payments since the backup are unknown; it stays frozen',
    hint`compare it with a payer statement: ${reviewctl`ledger reconcile --payer-statement FILE --statement-end now`};
      if there is no statement, rewards may be paid twice: ${reviewctl`ledger unfreeze --without-statement`}`,
  );
}

function foreignPayments(foreign: readonly LackingPayment[]): Failure {
  const shown = foreign.slice(0, namedMaximum).map(({ line, name }) => `line ${line} (${name})`);
  const rest = foreign.length > namedMaximum ? ` and ${foreign.length - namedMaximum} more` : '';
  return new Failure(
    'guard',
    `the statement names payments that belong to no known reward: ${shown.join(', ')}${rest}; the restored ` +
      'ledger stays frozen',
    hint`if one belongs to a reward of this shop, record it (${reviewctl`ledger resolve ID --paid --ref …`}) and
      compare again; if all belong to others: ${reviewctl`ledger unfreeze --without-statement`}`,
  );
}
