import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { timeInWords } from '../../../base/korean-time.ts';
import { readDateTime } from '../../../input/cells/date-time.ts';
import { isRefusal } from '../../../input/records/cell.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { differenceView } from '../../../output/views/reward-views.ts';
import { cellText, type ResultRow } from '../../../payer/read-results.ts';
import {
  readStatement,
  type Statement,
  type StatementRow,
  statementColumns,
  statementNames,
  statementSynonyms,
} from '../../../payer/read-statement.ts';
import { missingIn } from '../../../settle/manual/check-restored.ts';
import {
  type DifferenceKind,
  differenceKindNames,
  differenceKinds,
  type ReconcileOptions,
  reconcile,
} from '../../../settle/manual/reconcile.ts';
import type { LackingPayment, Restoration } from '../../../store/ledger/ledger-custody.ts';
import { groupFlags, listFlag, repeatableFlag, textFlag, wordValue } from '../../flags/flags.ts';
import { inputFlags, tableFlags } from '../../flags/input-flags.ts';
import { checkRanges, timeValue } from '../../flags/query-flags.ts';
import { connectionFlags, outputFlags, progressFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { printList } from '../../runtime/print.ts';
import { readingProgress } from '../../runtime/reading-progress.ts';
import { openTable } from '../../templates/push/open-table.ts';
import { useRewards } from '../../templates/settle/settlement-session.ts';
import { resultRows, unreadable, withWholeIds } from '../rewards/result-rows.ts';
import { lostInWords, offlineFlags, paymentsInWords, useLedger } from './offline-ledger.ts';

const { timeZone, dateOrder } = inputFlags;

const flags = {
  ...groupFlags('Statement', {
    payerStatement: textFlag('FILE|-', "the payer's statement: a table"),
    map: repeatableFlag('NAME=COLUMN', 'column of the statement, such as amount=금액'),
    statementStart: textFlag('TIME', 'its start: 2026-11-20, or 7d for an age'),
    statementEnd: textFlag('TIME', 'its end: a time, or now if just drawn'),
    timeZone,
    dateOrder,
    ...tableFlags,
  }),
  kind: listFlag(wordValue(differenceKindNames), 'WORD', 'only differences of these kinds'),
  ...outputFlags,
  ...connectionFlags,
  ...offlineFlags,
  ...progressFlags,
};

type ReconcileInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  flags,
  examples: [
    'reviewctl ledger reconcile',
    'reviewctl ledger reconcile --payer-statement points.csv --map amount=Points --map rewardId=Memo',
    'reviewctl ledger reconcile --payer-statement points.csv --kind paid-by-payer -o ids | reviewctl ledger ' +
      "resolve - --paid --ref 'points.csv' --yes",
    'reviewctl ledger reconcile --payer-statement november.csv --statement-start 2026-11-01 --statement-end 2026-11-30',
  ],
  exitCodes: [3, 4, 5, 6, 9, 11, 12],
  run: async (invocation) => {
    const statement = await statementOf(invocation);
    const progress = readingProgress(invocation);
    const { service } = await useRewards(invocation, 'reconcile', progress);
    const { ledger } = await useLedger(invocation);
    const lacking: LackingPayment[] = [];
    const period = periodOf(invocation);
    const beganMs = invocation.context.clock.now();
    const noteLacking = (payment: LackingPayment) => lacking.push(payment);
    const total = (await ledger.sums()).reduce((sum, { count }) => sum + count, 0);
    const onCompared = (done: number) =>
      progress.update({ label: 'comparing entries of the ledger', done, total });
    const options = { ...period, statement, noteLacking, onCompared };
    const differences = reconcile(ledger, service, options);
    const { isCut, exitCode } = await report(invocation, differences).finally(() => progress.done());
    const { restoration } = await ledger.meta();
    // The recorded comparison decides whether a restored ledger may be unfrozen.
    if (statement === undefined || restoration === null || isCut) return exitCode;
    const gap = gapOf(statement, period, { ...restoration, nowMs: beganMs });
    if (gap !== undefined) {
      warnOfGap(invocation, gap);
      return strongestExitCode([exitCode, 6]);
    }
    const missing = await missingIn(lacking, ledger);
    if (missing.length > 0) {
      warnOfMissing(invocation, missing);
      return strongestExitCode([exitCode, 6]);
    }
    await ledger.custody.noteComparison(beganMs, lacking);
    showLost(invocation, restoration, lacking.length);
    return exitCode;
  },
});

type Period = Pick<ReconcileOptions, 'fromMs' | 'untilMs'>;

interface Gap {
  readonly reason: string;
  /** A start that a person may have to state, because a statement without earlier payments does not show its own. */
  readonly start?: string;
}

/** Returns why a statement may not show all payments that a restored ledger lacks; undefined if it covers that time. */
function gapOf(
  { paymentCount, times }: Statement,
  { fromMs, untilMs }: Period,
  { atMs, acceptedAtMs, nowMs }: Restoration & { readonly nowMs: number },
): Gap | undefined {
  if (paymentCount === 0) return { reason: 'shows no payment' };
  const firstMs = Number.isFinite(fromMs) ? fromMs : (times?.firstMs ?? fromMs);
  if (firstMs > atMs) {
    const start = new Date(atMs).toISOString();
    return { reason: `begins after the ledger was copied (${timeInWords(atMs)})`, start };
  }
  const lastMs = Number.isFinite(untilMs) ? untilMs : times?.lastMs;
  if (lastMs === undefined) return { reason: 'does not say when it ends' };
  // It was issued before, at an unknown time.
  if (lastMs > nowMs) return { reason: `ends in the future (${timeInWords(lastMs)})` };
  const restoredMs = acceptedAtMs ?? nowMs;
  if (lastMs >= restoredMs) return undefined;
  return { reason: `ends before the ledger was restored (${timeInWords(restoredMs)})` };
}

function warnOfGap({ flags, notices }: ReconcileInvocation, { reason, start }: Gap): void {
  const file = flags.payerStatement ?? 'FILE';
  const period = [...(start === undefined ? [] : ['--statement-start', start]), '--statement-end', 'now'];
  const typed = flags.map.flatMap((text) => ['--map', text]);
  const compare = reviewctl`ledger reconcile --payer-statement ${file} ${typed} ${period}`;
  notices.warning(
    `the statement ${reason} and cannot show which payments the restored ledger lacks; the ledger stays frozen`,
    hint`get a statement from before the copy until now, and state
      ${start === undefined ? 'that it ends now' : 'its start and end'}: ${compare};
      if nothing else was paid since: ${reviewctl`ledger unfreeze --without-statement`}`,
  );
}

/** A shorter statement must not hide payments that an earlier one showed. */
function warnOfMissing({ notices }: ReconcileInvocation, missing: readonly string[]): void {
  notices.warning(
    `an earlier statement showed ${counted(missing.length, 'payment')} that this one lacks, such as reward ` +
      `${missing[0]}, and the ledger does not record them as paid; it stays frozen`,
    hint`compare a complete statement; if the earlier one was of another payer: ${reviewctl`ledger accept`}`,
  );
}

/** Reports the lost events and the missing payments: a person sees whether the payments can explain the loss. */
function showLost({ notices }: ReconcileInvocation, { lostEvents }: Restoration, lacking: number): void {
  const words = `${lostInWords(lostEvents)}; the statement shows ${paymentsInWords(lacking)} missing in the ledger`;
  if (lacking > 0) notices.info(words);
  else {
    notices.warning(
      words,
      hint`make sure that the statement is complete; then: ${reviewctl`ledger unfreeze`}`,
    );
  }
}

/** @throws Failure('usage') for an invalid time, and for an end before the start. */
function periodOf({ context, flags }: ReconcileInvocation): Period {
  const { statementStart, statementEnd, timeZone: zone } = flags;
  const times = { nowMs: context.clock.now(), timeZone: zone };
  const zoned = (name: string, written: string | undefined) =>
    written === undefined ? undefined : timeValue(name, written, times);
  const period = {
    statementStart: zoned('statementStart', statementStart),
    statementEnd: zoned('statementEnd', statementEnd),
  };
  checkRanges(period);
  const instant = (time: string | undefined, otherwise: number) =>
    time === undefined ? otherwise : Date.parse(time);
  return {
    fromMs: instant(period.statementStart, Number.NEGATIVE_INFINITY),
    untilMs: instant(period.statementEnd, Number.POSITIVE_INFINITY),
  };
}

async function statementOf(invocation: ReconcileInvocation): Promise<Statement | undefined> {
  const { flags } = invocation;
  const { payerStatement } = flags;
  if (payerStatement === undefined) return undefined;
  const map = columnsNamed(flags.map);
  const { file, options } = await openTable(payerStatement, 'the statement', invocation);
  const columns = {
    required: ['amount'],
    oneOf: statementNames,
    known: statementColumns,
    synonyms: statementSynonyms,
    map,
  };
  const ids = [...statementNames, 'memberOriginId'];
  const rows = withWholeIds(resultRows(file, options, columns), file.shownAs, ids);
  return readStatement(withTimes(rows, file.shownAs, flags), file.shownAs);
}

/** @throws Failure('input') for an unreadable time: the statement may end earlier than it seems. */
async function* withTimes(
  rows: AsyncIterable<ResultRow>,
  file: string,
  { timeZone, dateOrder }: Pick<ReconcileInvocation['flags'], 'timeZone' | 'dateOrder'>,
): AsyncGenerator<StatementRow> {
  for await (const row of rows) {
    const written = cellText(row.cells['paidAt']);
    if (written === '') {
      yield row;
      continue;
    }
    const read = readDateTime(written, timeZone, dateOrder);
    if (isRefusal(read)) {
      const reason = `paidAt: '${written}': ${read.reason}`;
      throw unreadable({ file, line: row.line, reason, remedy: read.remedy });
    }
    yield { ...row, atMs: Date.parse(read) };
  }
}

/** @throws Failure('usage') for an entry that does not name a column of a statement. */
function columnsNamed(map: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    map.map((text) => {
      const at = text.indexOf('=');
      const name = text.slice(0, Math.max(0, at)).trim();
      const column = text.slice(at + 1).trim();
      if (statementColumns.some((known) => known === name) && column !== '') return [name, column];
      const known = statementColumns.join(', ');
      throw new Failure(
        'usage',
        `--map: '${text}' does not name a column`,
        `write NAME=COLUMN with one of: ${known}`,
      );
    }),
  );
}

async function report(
  invocation: ReconcileInvocation,
  differences: ReturnType<typeof reconcile>,
): Promise<{ readonly isCut: boolean; readonly exitCode: ExitCode }> {
  const { notices } = invocation;
  const { kind: kinds, output } = invocation.flags;
  const counts = new Map<DifferenceKind, number>();
  let others = 0;
  const ids = new Set<string | null>([null]);
  async function* records(): AsyncGenerator<readonly JsonObject[]> {
    for await (const difference of differences) {
      const { kind, ...about } = { ...difference, next: notices.complete(difference.next) };
      if (kinds !== undefined && !kinds.includes(kind)) {
        others += 1;
        continue;
      }
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      // A list of ids contains each reward once, although a reward may differ in several ways.
      if (output === 'ids' && ids.has(about.rewardId)) continue;
      if (output === 'ids') ids.add(about.rewardId);
      yield [{ kind, ...about }];
    }
  }
  const { isCut } = await printList(invocation, differenceView, records(), () => {
    const count = [...counts.values()].reduce((sum, ofKind) => sum + ofKind, 0);
    const shown = count === 0 ? 'no differences' : counted(count, 'difference');
    return others === 0 ? shown : `${shown} of --kind ${kinds?.join(', ')}; ${others} of other kinds`;
  });
  if (isCut) return { isCut, exitCode: 0 };
  for (const [kind, count] of counts) notices.info(`${count} ${kind}: ${differenceKinds[kind]}`);
  return { isCut, exitCode: counts.has('unknown') ? 11 : counts.size === 0 ? 0 : 6 };
}
