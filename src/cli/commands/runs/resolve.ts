import { type ExitCode, Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { type View, word } from '../../../output/views/view.ts';
import type { JournaledKind, PushJournal, Resolution } from '../../../store/journal/push-journal.ts';
import { pushLockName } from '../../../store/locks/locks.ts';
import { stateLocks } from '../../../store/open-store.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import { switchFlag } from '../../flags/flags.ts';
import { askFlags, outputFlags } from '../../flags/shared-flags.ts';
import { isChangeConfirmed } from '../../runtime/ask.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { printRecords } from '../../runtime/print.ts';
import { readIds } from '../../templates/batch/read-ids.ts';
import { droppedOutcome, openRejects, recordName } from '../../templates/push/open-rejects.ts';
import { endedBy, runsBeside } from '../../templates/push/runs-beside.ts';
import { findRun, type OpenRuns, placeFlags, runArgument, useRuns } from './open-runs.ts';
import { journaledKinds } from './run-record.ts';

const findings = {
  sent: 'found at the service',
  'not-sent': 'the service does not have them; the next push sends them again',
} as const satisfies Record<Resolution, string>;

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
type ResolveInvocation = Invocation<typeof flags>;

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
    if (flags.dropped) return dropRejects(invocation, runs, run);
    const finding = findingOf(flags);
    const kind = journaledKindOf(run);
    const given =
      idArgs.length === 0 ? undefined : [...new Set(await readIds(idArgs, 'originId', invocation))];
    const subject = { run, kind, given, finding };
    const unknown = await findUnknown(runs, subject);
    const question = `Resolve ${counted(unknown.length, 'record')} of run ${run.id}: ${findings[finding]}?`;
    if (unknown.length > 0 && !(await isChangeConfirmed(question, invocation))) return 0;
    const others = (given ?? []).filter((originId) => !unknown.includes(originId));
    const resolved = await resolveAll(invocation, runs, subject, unknown);
    await printResolved(invocation, finding, { unknown, others });
    notices.summary(
      resolved === 0
        ? `nothing was changed: run ${run.id} has no unknown records${given === undefined ? '' : ' of these'}`
        : `${counted(resolved, 'record')} settled: ${findings[finding]}`,
    );
    if (others.length === 0) return 0;
    await warnOfOthers(invocation, runs, subject, others);
    return 6;
  },
});

/** Notes of open rejects of a run that they are dropped: those that are named, or all. */
async function dropRejects(
  invocation: ResolveInvocation,
  { journal }: OpenRuns,
  run: Run,
): Promise<ExitCode> {
  const { args, flags, notices } = invocation;
  if (flags.sent || flags.notSent) throw contradiction();
  const [, ...idArgs] = args;
  const open = (await openRejects(journal, run.kind)).filter((reject) => reject.run.id === run.id);
  const names = new Map(open.map(({ outcome }) => [recordName(outcome), outcome]));
  const given = idArgs.length === 0 ? [...names.keys()] : await readIds(idArgs, 'originId', invocation);
  const dropped = given.filter((name) => names.has(name));
  const others = given.filter((name) => !names.has(name));
  const question = `Drop ${counted(dropped.length, 'reject')} of run ${run.id}?`;
  if (dropped.length > 0 && !(await isChangeConfirmed(question, invocation))) return 0;
  const noted = dropped.flatMap((name) => names.get(name) ?? []);
  await journal.runs.note(
    run.id,
    noted.map(({ file, line, originId }) => ({ file, line, originId, outcome: droppedOutcome })),
  );
  await printResolved(invocation, 'dropped', { unknown: dropped, others });
  notices.summary(`${counted(dropped.length, 'reject')} dropped`);
  if (others.length === 0) return 0;
  notices.warning(
    `${counted(others.length, 'record')} unchanged, no open rejects of run ${run.id}: ` +
      others.slice(0, namedMaximum).join(', '),
    reviewctl`runs rejects ${run.id} --open`,
  );
  return 6;
}

/** What is to be resolved, and how. */
interface Subject {
  readonly run: Run;
  readonly kind: JournaledKind;
  /** The records that were named; undefined for all. */
  readonly given: readonly string[] | undefined;
  readonly finding: Resolution;
}

/**
 * Does `work`, which gets to know which runs have ended, while no push of the kind of this run is under way.
 * @throws Failure('locked') while one is.
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

/** The lock is not held while a person is asked. */
function findUnknown(runs: OpenRuns, { run, kind, given }: Subject): Promise<readonly string[]> {
  return whileIdle(runs, run, async (isEnded) => {
    // Requests in progress of a killed run become unknown once they are looked at.
    await runs.journal.recover(kind, isEnded);
    return runs.journal.unresolved(kind, run.id, given);
  });
}

async function resolveAll(
  { notices }: ResolveInvocation,
  runs: OpenRuns,
  { run, kind, finding }: Subject,
  unknown: readonly string[],
): Promise<number> {
  if (unknown.length === 0) return 0;
  const { journal } = runs;
  return whileIdle(runs, run, async () => {
    const orderIds = kind === 'order-item' ? await ordersOf(journal, unknown) : [];
    const resolved = await journal.resolve(kind, run.id, finding, unknown);
    const waiting = finding === 'not-sent' ? await unknownOrders(journal, orderIds) : [];
    if (waiting.length > 0) {
      notices.warning(
        `the next push rejects the items of ${counted(waiting.length, 'order')}, first ${waiting[0]}: other ` +
          'items of it are unknown; resolve all items of an order',
        reviewctl`runs rejects ${run.id} --unknown`,
      );
    }
    return resolved;
  });
}

async function printResolved(
  invocation: ResolveInvocation,
  finding: Resolution | 'dropped',
  { unknown, others }: { readonly unknown: readonly string[]; readonly others: readonly string[] },
): Promise<void> {
  const records = [
    ...unknown.map((originId) => ({ originId, resolution: finding })),
    ...others.map((originId) => ({ originId, resolution: 'unchanged' })),
  ];
  await printRecords(invocation, resolvedView, records);
}

/** Ids that are named where many were left alone. */
const namedMaximum = 10;

/** Which of the records that were named stayed as they were, and why. */
async function warnOfOthers(
  { notices }: ResolveInvocation,
  { journal }: OpenRuns,
  { run, kind }: Subject,
  others: readonly string[],
): Promise<void> {
  const known = await journal.known(kind, others);
  const reasons = [
    ['not on record, so never sent', others.filter((originId) => !known.has(originId))],
    [`not unknown, or not part of run ${run.id}`, others.filter((originId) => known.has(originId))],
  ] as const;
  for (const [reason, originIds] of reasons) {
    if (originIds.length === 0) continue;
    const named = originIds.slice(0, namedMaximum).join(', ');
    const more = originIds.length > namedMaximum ? ` and ${originIds.length - namedMaximum} more` : '';
    notices.warning(
      `${counted(originIds.length, 'record')} unchanged, ${reason}: ${named}${more}`,
      reviewctl`runs rejects ${run.id} --unknown`,
    );
  }
}

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

/** @throws Failure('usage') unless exactly one of them is given. */
function findingOf({ sent, notSent }: { readonly sent: boolean; readonly notSent: boolean }): Resolution {
  if (sent !== notSent) return sent ? 'sent' : 'not-sent';
  throw contradiction();
}

function contradiction(): Failure {
  return new Failure(
    'usage',
    'state the result: one of --sent, --not-sent and --dropped',
    `--sent: ${findings.sent}; --not-sent: ${findings['not-sent']}; --dropped: not to be pushed any more`,
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
