import { type ExitCode, Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { counted } from '../../../output/terminal/totals.ts';
import type { JournaledKind, PushJournal, Resolution } from '../../../store/journal/push-journal.ts';
import { pushLockName } from '../../../store/locks/locks.ts';
import { stateLocation, stateLocks } from '../../../store/open-store.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { askFlags } from '../../flags/ask-flags.ts';
import { switchFlag } from '../../flags/flags.ts';
import { isConfirmed } from '../../runtime/ask.ts';
import { defineCommand } from '../../runtime/command.ts';
import { readIds } from '../../templates/batch/read-ids.ts';
import { findRun, placeFlags, runArgument, withRuns } from './open-runs.ts';

/** The journaled kind of each kind of run; updates may be repeated, so nothing of them stays unknown. */
export const journaledKinds: Readonly<Record<string, JournaledKind>> = {
  orders: 'order-item',
  categories: 'category',
  products: 'product',
};

const findings = {
  sent: 'found at the service',
  'not-sent': 'the service does not have them; the next push sends them again',
} as const satisfies Record<Resolution, string>;

export const runsResolve = defineCommand({
  argument: [
    runArgument,
    {
      term: '[originIds...]',
      help: 'the records to resolve, - for standard input (default: all unknown ones)',
    },
  ],
  flags: {
    sent: switchFlag({ help: findings.sent }),
    notSent: switchFlag({ help: findings['not-sent'] }),
    ...askFlags,
    ...placeFlags,
  },
  examples: [
    'reviewctl runs resolve last --not-sent',
    'reviewctl runs resolve last --sent 20260930-0000024-01',
    'reviewctl runs resolve last --sent - < found.txt',
  ],
  exitCodes: [6, 9],
  run: (invocation) =>
    withRuns(invocation, async ({ journal, folder }): Promise<ExitCode> => {
      const { args, flags, notices } = invocation;
      const finding = findingOf(flags);
      const [word = '', ...idArgs] = args;
      const run = await findRun(journal, word);
      const kind = journaledKindOf(run);
      const ids = idArgs.length === 0 ? undefined : await readIds(idArgs, 'originId', invocation);
      const which = ids === undefined ? 'all unknown records' : counted(ids.length, 'record');
      const question = `Resolve ${which} of run ${run.id}: ${findings[finding]}?`;
      if (!(await isConfirmed(question, flags, invocation))) {
        notices.summary('nothing was changed');
        return 0;
      }
      const locks = stateLocks(stateLocation(folder));
      const lock = await locks.acquire(pushLockName(run.kind), `${run.kind} push`);
      try {
        // Requests in progress of a killed run become unknown once they are looked at.
        await journal.recover(kind);
        const orderIds = kind === 'order-item' ? await ordersOf(journal, ids ?? []) : [];
        const resolved = await journal.resolve(kind, run.id, finding, ids);
        notices.summary(
          resolved === 0
            ? `nothing was changed: run ${run.id} has no unknown records${ids === undefined ? '' : ' of these'}`
            : `${counted(resolved, 'record')} settled: ${findings[finding]}`,
        );
        const waiting = finding === 'not-sent' ? await unknownOrders(journal, orderIds) : [];
        if (waiting.length > 0) {
          notices.warning(
            `the next push rejects the items of ${counted(waiting.length, 'order')}, first ${waiting[0]}: other ` +
              'items of it are unknown; resolve all items of an order',
            reviewctl`runs rejects ${run.id} --unknown`,
          );
        }
        if (ids === undefined || resolved === ids.length) return 0;
        notices.warning(
          `${counted(ids.length - resolved, 'record')} unchanged: not unknown, or not part of run ${run.id}`,
          reviewctl`runs show ${run.id}`,
        );
        return 6;
      } finally {
        await lock.release();
      }
    }),
});

/** The orders of items, as far as the journal knows them. */
async function ordersOf(
  journal: Pick<PushJournal, 'known'>,
  originIds: readonly string[],
): Promise<string[]> {
  const items = [...(await journal.known('order-item', originIds)).values()];
  return [...new Set(items.flatMap(({ orderOriginId }) => orderOriginId ?? []))];
}

/** Orders sent whole with an unknown outcome: a push adds nothing to those. */
async function unknownOrders(
  journal: Pick<PushJournal, 'known'>,
  originIds: readonly string[],
): Promise<string[]> {
  const orders = [...(await journal.known('order', originIds))];
  return orders.flatMap(([originId, { fate }]) => (fate === 'unknown' ? originId : []));
}

/** @throws Failure('usage') unless exactly one of the two is given. */
function findingOf({ sent, notSent }: { readonly sent: boolean; readonly notSent: boolean }): Resolution {
  if (sent !== notSent) return sent ? 'sent' : 'not-sent';
  throw new Failure(
    'usage',
    'state the result: either --sent or --not-sent',
    `--sent: ${findings.sent}; --not-sent: ${findings['not-sent']}`,
  );
}

function journaledKindOf({ id, kind }: Run): JournaledKind {
  const journaled = journaledKinds[kind];
  if (journaled !== undefined) return journaled;
  throw new Failure(
    'usage',
    `run ${id} pushed ${kind}, which can be sent again safely, so its records are never unknown`,
    hint`${reviewctl`runs resume ${id}`} checks again and sends the missing records`,
  );
}
