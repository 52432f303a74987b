import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { type View, word } from '../../../output/views/view.ts';
import type { JournaledKind, Resolution } from '../../../store/journal/push-journal.ts';
import { pushLockName } from '../../../store/locks/locks.ts';
import { stateLocks } from '../../../store/open-store.ts';
import type { NotedOutcome, Run } from '../../../store/runs/run-log.ts';
import { type FlagValues, switchFlag } from '../../flags/flags.ts';
import { askFlags, outputFlags } from '../../flags/shared-flags.ts';
import { isChangeConfirmed } from '../../runtime/ask.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printRecords } from '../../runtime/print.ts';
import { readIds } from '../../templates/batch/read-ids.ts';
import { droppedOutcome, openRejects, recordName } from '../../templates/push/open-rejects.ts';
import { endedBy, runsBeside } from '../../templates/push/runs-beside.ts';
import { findRun, type OpenRuns, placeFlags, runArgument, useRuns } from './open-runs.ts';
import { journaledKinds } from './run-record.ts';

const findings = {
  sent: 'found at the service',
  'not-sent': 'the service does not have them; the next push sends them again',
  dropped: 'not to be pushed any more',
} as const satisfies Record<Resolution | 'dropped', string>;

const resolvedView: View = {
  noun: 'record',
  id: 'originId',
  csvColumns: ['originId', 'resolution'],
  columns: [word('origin id', 'originId'), word('resolution')],
};

const flags = {
  dropped: switchFlag('rejects that are not to be pushed any more'),
  sent: switchFlag(findings.sent),
  notSent: switchFlag('not at the service; the next push sends them'),
  ...outputFlags,
  ...askFlags,
  ...placeFlags,
};

export const command = defineCommand({
  argument: [
    runArgument,
    {
      term: '[originIds...]',
      help: 'the records to resolve, - for standard input (default: all unknown ones)',
    },
  ],
  flags,
  examples: [
    'reviewctl runs resolve last --not-sent',
    'reviewctl runs resolve last --sent 20260930-0000024-01',
    'reviewctl runs resolve last --sent - < found.txt',
    'reviewctl runs resolve last P-17 --dropped',
  ],
  exitCodes: [6, 9],
  run: async (invocation) => {
    const runs = await useRuns(invocation);
    const { args, flags, notices } = invocation;
    const [word = '', ...idArgs] = args;
    const run = await findRun(runs.journal, word);
    const finding = findingOf(flags);
    const settling =
      finding === 'dropped' ? dropping(notices, runs, run) : resolving(notices, runs, run, finding);
    const given =
      idArgs.length === 0 ? undefined : [...new Set(await readIds(idArgs, 'originId', invocation))];
    const found = await settling.find(given);
    if (found.length > 0 && !(await isChangeConfirmed(settling.question(found.length), invocation))) return 0;
    const others = (given ?? []).filter((originId) => !found.includes(originId));
    const summary = await settling.settle(found, given);
    await printRecords(invocation, resolvedView, [
      ...found.map((originId) => ({ originId, resolution: finding })),
      ...others.map((originId) => ({ originId, resolution: 'unchanged' })),
    ]);
    notices.summary(summary);
    if (others.length === 0) return 0;
    await settling.warnOfOthers(others);
    return 6;
  },
});

/** Resolves records of a run. `given` are the ids in the arguments; undefined means all. */
interface Settling {
  /** The records that can be resolved. */
  find(given: readonly string[] | undefined): Promise<readonly string[]>;
  question(count: number): string;
  /** Records the finding, and returns a summary. */
  settle(found: readonly string[], given: readonly string[] | undefined): Promise<string>;
  /** Warns why records of the arguments were not changed. */
  warnOfOthers(others: readonly string[]): Promise<void>;
}

/** Notes that open rejects of a run are dropped. */
function dropping(notices: Notices, { journal }: OpenRuns, run: Run): Settling {
  let rejects: ReadonlyMap<string, NotedOutcome>;
  return {
    find: async (given) => {
      const open = (await openRejects(journal, run.kind)).filter((reject) => reject.run.id === run.id);
      rejects = new Map(open.map(({ outcome }) => [recordName(outcome), outcome]));
      return (given ?? [...rejects.keys()]).filter((name) => rejects.has(name));
    },
    question: (count) => `Drop ${counted(count, 'reject')} of run ${run.id}?`,
    settle: async (found) => {
      const noted = found.flatMap((name) => rejects.get(name) ?? []);
      await journal.runs.note(
        run.id,
        noted.map(({ file, line, originId }) => ({ file, line, originId, outcome: droppedOutcome })),
      );
      return `${counted(found.length, 'reject')} dropped`;
    },
    warnOfOthers: async (others) =>
      notices.warning(
        `${counted(others.length, 'record')} unchanged, not open rejects of run ${run.id}: ` +
          others.slice(0, namedMaximum).join(', '),
        reviewctl`runs rejects ${run.id} --open`,
      ),
  };
}

/** Records whether the service has the unknown records of a run. */
function resolving(notices: Notices, runs: OpenRuns, run: Run, finding: Resolution): Settling {
  const { journal } = runs;
  const kind = journaledKindOf(run);
  const unknownOnes = reviewctl`runs rejects ${run.id} --unknown`;
  const resolve = async (originIds: readonly string[]) => {
    const orderIds = kind === 'order-item' ? await ordersOf(journal, originIds) : [];
    const resolved = await journal.resolve(kind, run.id, finding, originIds);
    const waiting = finding === 'not-sent' ? await unknownOrders(journal, orderIds) : [];
    if (waiting.length > 0) {
      notices.warning(
        `the next push rejects the items of ${counted(waiting.length, 'order')}, first ${waiting[0]}: other ` +
          'items of it are unknown; resolve all items of an order',
        unknownOnes,
      );
    }
    return resolved;
  };
  return {
    // The lock is not held while a person is asked.
    find: (given) =>
      whileIdle(runs, run, async (isEnded) => {
        // Requests that a killed run left in progress become unknown by this call.
        await journal.recover(kind, isEnded);
        return journal.unresolved(kind, run.id, given);
      }),
    question: (count) => `Resolve ${counted(count, 'record')} of run ${run.id}: ${findings[finding]}?`,
    settle: async (unknown, given) => {
      const resolved = unknown.length === 0 ? 0 : await whileIdle(runs, run, () => resolve(unknown));
      return resolved === 0
        ? `nothing was changed: run ${run.id} has no unknown records${given === undefined ? '' : ' of these'}`
        : `${counted(resolved, 'record')} settled: ${findings[finding]}`;
    },
    warnOfOthers: async (others) => {
      const known = await journal.known(kind, others);
      const reasons = [
        ['not recorded, so never sent', others.filter((originId) => !known.has(originId))],
        [`not unknown, or not part of run ${run.id}`, others.filter((originId) => known.has(originId))],
      ] as const;
      for (const [reason, originIds] of reasons) {
        if (originIds.length === 0) continue;
        const named = originIds.slice(0, namedMaximum).join(', ');
        const more = originIds.length > namedMaximum ? ` and ${originIds.length - namedMaximum} more` : '';
        notices.warning(
          `${counted(originIds.length, 'record')} unchanged, ${reason}: ${named}${more}`,
          unknownOnes,
        );
      }
    },
  };
}

/** Maximum ids listed in a warning. */
const namedMaximum = 10;

/**
 * Runs `work` while no push of this run's kind is running, and passes it a function that returns true for ended runs.
 * @throws Failure('locked') while one is running.
 */
async function whileIdle<T>(
  { journal, state }: OpenRuns,
  { kind }: Run,
  work: (isEnded: (run: string | null) => boolean) => Promise<T>,
): Promise<T> {
  const lock = await stateLocks(state).acquire(pushLockName(kind), `${kind} push`);
  try {
    const all = await journal.runs.list();
    return await work(endedBy(all, await runsBeside(all, { kind }, state)));
  } finally {
    await lock.release();
  }
}

/** The orders of items, as far as the journal knows them. */
async function ordersOf(journal: OpenRuns['journal'], originIds: readonly string[]): Promise<string[]> {
  const items = [...(await journal.known('order-item', originIds)).values()];
  return [...new Set(items.flatMap(({ orderOriginId }) => orderOriginId ?? []))];
}

/** Orders that were sent whole with an unknown outcome: a push adds nothing to them. */
async function unknownOrders(journal: OpenRuns['journal'], originIds: readonly string[]): Promise<string[]> {
  const orders = [...(await journal.known('order', originIds))];
  return orders.flatMap(([originId, { fate }]) => (fate === 'unknown' ? originId : []));
}

/** @throws Failure('usage') unless exactly one of them is given. */
function findingOf({ sent, notSent, dropped }: FlagValues<typeof flags>): keyof typeof findings {
  if ([sent, notSent, dropped].filter(Boolean).length === 1)
    return dropped ? 'dropped' : sent ? 'sent' : 'not-sent';
  throw new Failure(
    'usage',
    'state the result: one of --sent, --not-sent and --dropped',
    Object.entries(findings)
      .map(([finding, meaning]) => `--${finding}: ${meaning}`)
      .join('; '),
  );
}

function journaledKindOf({ id, kind, command }: Run): JournaledKind {
  const journaled = journaledKinds[kind];
  if (journaled !== undefined) return journaled;
  throw new Failure(
    'usage',
    `run ${id} pushed ${kind}, which can be sent again safely, so its records are never unknown`,
    hint`${reviewctl`${command}`} checks again and sends the missing records`,
  );
}
