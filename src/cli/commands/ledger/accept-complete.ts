import { existsSync, readdirSync } from 'node:fs';
import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { nextRunId } from '../../../base/run-id.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { countKnown, firstRewards } from '../../../settle/manual/import-paid.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import { callRecordsFolderOf } from '../../../store/ledger/ledger-location.ts';
import type { Refused, Standing } from '../../../store/ledger/ledger-standing.ts';
import { openLedgerStore } from '../../../store/open-store.ts';
import { placeFlag } from '../../../store/sql/postgres-address.ts';
import { isChangeConfirmed } from '../../runtime/ask.ts';
import { type FoundLedger, useRewards } from '../../templates/settle/settlement-session.ts';
import type { AcceptInvocation } from './accept.ts';
import { openLedger } from './offline-ledger.ts';

/**
 * Puts a complete ledger into use: one that was moved to this machine, to another file or server, or whose service has
 * a new address.
 * @throws Failure('ledger') for one that may lack payments.
 */
export async function acceptComplete(invocation: AcceptInvocation): Promise<void> {
  const { ledger, standing, place } = await openLedger(invocation, { isAnyOrigin: true });
  checkMovable(standing);
  const { origin } = place;
  const known = await ledger.meta();
  if ([known.origin, ...known.otherOrigins].includes(origin))
    return moveHere(invocation, ledger, standing, place);
  if (standing.kind !== 'current' && !(await isMoveConfirmed(invocation, standing, place))) return;
  return learnOrigin(invocation, ledger, place);
}

/** @throws Failure('ledger') for one that may lack payments: that takes more than a move. */
function checkMovable(standing: Standing): void {
  if (standing.kind !== 'current' && standing.kind !== 'elsewhere') throw standing.failure;
}

async function moveHere(
  invocation: AcceptInvocation,
  ledger: Ledger,
  standing: Standing,
  place: FoundLedger,
): Promise<void> {
  const { context, notices } = invocation;
  const { path } = place;
  if (standing.kind === 'current') {
    notices.summary(`${path} is already the ledger in use here`);
    return;
  }
  if (!(await isMoveConfirmed(invocation, standing, place))) return;
  await (await openLedgerStore(place)).move(ledger, { clock: context.clock });
  notices.summary(`${path} is the ledger in use on this machine from now on`);
  warnOfCallRecords(invocation, standing, path);
  notices.info(hint`to preview the payments: ${reviewctl`rewards settle --dry-run`}`);
}

/** Results of payer programs that no run has read yet decide payments that would otherwise be unknown. */
function warnOfCallRecords({ notices }: AcceptInvocation, standing: Refused, path: string): void {
  const from = standing.mark?.path;
  if (from === undefined || from === path) return;
  const left = callRecordsFolderOf(from);
  if (!existsSync(left) || readdirSync(left).length === 0) return;
  const to = shellWord(callRecordsFolderOf(path));
  notices.warning(
    `answers of the payer that no run has read yet are still next to ${from}`,
    `move them before the next run: mkdir -p -m 700 ${to} && mv ${shellWord(left)}/* ${to}`,
  );
}

async function isMoveConfirmed(
  invocation: AcceptInvocation,
  standing: Refused,
  { path }: FoundLedger,
): Promise<boolean> {
  const { notices } = invocation;
  notices.warning(
    standing.failure.message,
    hint`rewards paid after it was copied are paid again: if it came from a backup, answer no, and use
      ${reviewctl`ledger accept ${placeFlag(path)}`}. The other copy must never be used again: two copies pay
      everything twice, and across machines this cannot be detected`,
  );
  const question = 'Is this the newest copy, and the only one in use from now on?';
  return isChangeConfirmed(question, invocation);
}

/** Keys do not change: they are derived from the previous address. */
async function learnOrigin(invocation: AcceptInvocation, ledger: Ledger, place: FoundLedger): Promise<void> {
  const { context, notices } = invocation;
  const { origin, path } = place;
  const { clock } = context;
  const { service, account } = await useRewards(invocation, nextRunId(clock.now()));
  const rewards = await firstRewards(service);
  const known = await countKnown(ledger, rewards);
  if (known === 0 && (await ledger.lastSeq()) > 0) throw isForeign(path, origin, rewards.length);
  notices.info(`the ledger contains ${known} of ${rewards.length} rewards that ${origin} shows`);
  const isNewAccount = !(await ledger.meta()).accounts.includes(account);
  const andCredential = isNewAccount ? ', and is its credential a new one of the same shop' : '';
  const question = `Is ${origin} the service of ${ledger.identity.origin} under a new address${andCredential}?`;
  if (!(await isChangeConfirmed(question, invocation))) return;
  await ledger.custody.addOrigin(origin);
  if (isNewAccount) await ledger.addAccount(account);
  await (await openLedgerStore(place)).move(ledger, { clock });
  notices.summary(`${path} is now also the ledger for ${origin}; its keys stay the same`);
  notices.info(
    hint`use it with the setting ledger wherever that address is used: ${reviewctl`config set ledger FILE`}`,
  );
}

function isForeign(path: string, origin: string, count: number): Failure {
  return new Failure(
    'ledger',
    `the ledger contains none of the ${count} rewards that ${origin} shows: this is not its service`,
    hint`create a separate ledger for that service: ${reviewctl`ledger init`}; this one is unchanged: ${path}`,
  );
}
