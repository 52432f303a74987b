import { basename } from 'node:path';
import { Failure } from '../../../base/failure.ts';
import { counted, grouped } from '../../../output/terminal/totals.ts';
import { openExistingPushJournal } from '../../../store/open-store.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { PushCommandFlags } from '../../flags/push-flags.ts';
import { isWithin, rangeInWords } from '../../flags/record-range.ts';
import type { Invocation } from '../../runtime/command.ts';
import { openState } from '../../runtime/find-state.ts';
import { outcomeCount } from './error-budget.ts';

type PushInvocation = Invocation<PushCommandFlags>;

/** Kinds whose files usually have all records, so that a short file is a broken export. */
const wholeKinds: ReadonlySet<string> = new Set(['products', 'categories']);
/** Minimum pushes that define a usual number, and maximum pushes that are compared. */
const usualFrom = 2;
const usualOf = 7;
/** Fewer records than this share of the usual number cause a warning. */
const usualShare = 0.8;

/**
 * Stops a push whose number of records differs from `--expect-records`. Without that flag, stops an empty input if an
 * earlier push of such files had records. Warns of a number far below the usual one, or stops the push if the setting
 * `max-drop` says so. Only pushes with records are recorded.
 * @throws Failure('guard'); as `openState` and `openPushJournal`.
 */
export async function checkCount(count: number, kind: string, invocation: PushInvocation): Promise<void> {
  const { expectRecords } = invocation.flags;
  if (expectRecords !== undefined) {
    if (isWithin(expectRecords, count)) return;
    throw new Failure(
      'guard',
      `the input has ${counted(count, 'record')}, and --expect-records says ${rangeInWords(expectRecords)}; ` +
        'nothing was sent',
      'check whether the export is complete; if it is, change --expect-records',
    );
  }
  if (count > 0 && !wholeKinds.has(kind)) return;
  const before = (await runsOnRecord(invocation)).filter(
    (run) => run.kind === kind && isAlike(run, invocation),
  );
  if (count > 0) checkUsual(count, before, invocation);
  else checkEmpty(before);
}

async function runsOnRecord(invocation: PushInvocation): Promise<readonly Run[]> {
  const journal = await openExistingPushJournal(await openState(invocation, { isReadOnly: true }));
  if (journal === undefined) return [];
  try {
    return await journal.runs.list();
  } finally {
    await journal.close();
  }
}

function checkEmpty([last]: readonly Run[]): void {
  if (last === undefined) return;
  const had = recordsOfRun(last) === 0 ? 'some' : counted(recordsOfRun(last), 'record');
  throw new Failure(
    'guard',
    `the input has no records, and its last push, run ${last.id}, had ${had}; nothing was sent`,
    'check whether the export is complete; if there is nothing to send, add --expect-records 0..',
  );
}

/** Compares the number with the median of the last pushes. */
function checkUsual(count: number, before: readonly Run[], { flags, notices }: PushInvocation): void {
  const counts = before
    .filter(({ plan, end }) => plan === undefined && end?.isWhole === true)
    .map((run) => run.input?.records ?? recordsOfRun(run))
    .filter((records) => records > 0)
    .slice(0, usualOf)
    .toSorted((one, other) => one - other);
  const usual = counts[Math.floor(counts.length / 2)] ?? 0;
  if (counts.length < usualFrom || count >= usualShare * usual) return;
  const message =
    `the input has ${counted(count, 'record')}, and the last ${counts.length} pushes of such files had about ` +
    grouped(usual);
  const hint = `check whether the export is complete; if it is, add --expect-records ${count}..`;
  const { maxDrop } = flags;
  if (maxDrop !== undefined && (1 - count / usual) * 100 > maxDrop)
    throw new Failure('guard', `${message}, more than max-drop ${maxDrop}% below; nothing was sent`, hint);
  notices.warning(message, hint);
}

/** Digits that change from day to day: dates, times and long numbers. Other digits may be part of a shop's name. */
const changingDigits = new RegExp(
  `(?<!\\d)(?:${[
    String.raw`(?:19|20)\d\d(?:[-_.]\d{1,2}){1,2}`, // 2026-11-27, 2026.11
    String.raw`\d{1,2}[-_.]\d{1,2}[-_.](?:20)?\d\d`, // 27.11.2026, 10-30-00
    String.raw`\d\d[-_.]\d\d`, // 11-27, 10.30
    String.raw`\d{4,}`, // 20261127, 103000, a running number
    String.raw`\d{1,2}(?=[월일시분초])`, // 11월27일
  ].join('|')})(?!\\d)`,
  'g',
);

/** The names of files without folders and dates, so that dated exports of a shop are equal. */
export function maskedNames(files: readonly string[]): string {
  return files
    .map((file) => basename(file).replaceAll(changingDigits, (found) => found.replaceAll(/\d+/g, '#')))
    .toSorted()
    .join(' ');
}

/** True if a run read files of the same names apart from dates, or standard input by the same command. */
function isAlike({ command, files }: Run, { args, argv }: PushInvocation): boolean {
  if (args.includes('-') && command.join('\0') !== argv.join('\0')) return false;
  return maskedNames(files) === maskedNames(args);
}

/** Number of records of a run with an outcome. */
export function recordsOfRun({ end }: Run): number {
  return outcomeCount(end?.tally ?? {});
}
