import { closeSync, lstatSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { replaceAtomically } from '../../../base/atomic-file.ts';
import { diskFull, isNoSpace } from '../../../base/disk-full.ts';
import { Failure, messageOf, systemCodeOf } from '../../../base/failure.ts';
import { timeInWords } from '../../../base/korean-time.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { version } from '../../../base/version.ts';
import { type Page, pageText } from '../../../output/reports/page.ts';
import { writeOutput } from '../../../output/terminal/streams.ts';
import { groupFlags, switchFlag, textFlag } from '../../flags/flags.ts';
import { timeZoneFlag } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';

/** Flags of commands that write a page. */
export const reportFlags = groupFlags('Page', {
  out: textFlag('FILE', 'file to write; - for standard output'),
  overwrite: switchFlag('replace the file if it exists'),
  withIds: switchFlag('show ids and texts that may be personal data'),
  timeZone: timeZoneFlag,
});

type ReportInvocation = Invocation<typeof reportFlags>;

/**
 * Refuses a page on a terminal before the figures are read.
 * @throws Failure('usage').
 */
export function checkOut({ context, flags }: ReportInvocation): void {
  if (flags.out !== '-' || !context.streams.isOutputTerminal) return;
  throw new Failure(
    'usage',
    '--out - would print a page of HTML on the terminal',
    'name a file: --out report.html; or redirect standard output: --out - > report.html',
  );
}

/** The last line of a page: when it was made, and whether it may be shared. */
export function footer({ context, flags }: ReportInvocation): string {
  const { timeZone, withIds } = flags;
  const made = timeInWords(context.clock.now(), timeZone);
  const persons = withIds
    ? 'It shows ids and texts that may be personal data.'
    : 'Ids and texts that may be personal data are omitted.';
  return `Made ${made} by reviewctl ${version}. ${persons}`;
}

/**
 * Writes a page to the file of --out, else to `name` in the working folder.
 * @throws Failure('usage') if the file exists and may not be replaced, Failure('unwritable-path') if it cannot be
 * written.
 */
export async function writePage(invocation: ReportInvocation, page: Page, name: string): Promise<void> {
  const { context, flags, notices } = invocation;
  const text = pageText(page);
  if (flags.out === '-') {
    await writeOutput(context.streams, text);
    return;
  }
  const path = flags.out ?? name;
  try {
    // A page with personal data is readable by this user alone.
    const mode = flags.withIds ? 0o600 : 0o666;
    const file = resolve(context.cwd, path);
    if (flags.overwrite) replacePage(file, text, mode);
    else createPage(file, text, mode);
  } catch (error) {
    throw unwritten(path, error);
  }
  notices.summary(`report written to ${path}`);
}

/** Creates the file. A failure leaves no part of it, which would block the next attempt. */
function createPage(path: string, text: string, mode: number): void {
  const descriptor = openSync(path, 'wx', mode);
  try {
    writeFileSync(descriptor, text);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Replaces the file atomically, so that readers never see a part. Anything but a regular file (a link, a device) is
 * written in place.
 */
function replacePage(path: string, text: string, mode: number): void {
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  if (isFile) replaceAtomically(path, text, 'process', mode);
  else writeFileSync(path, text, { mode });
}

function unwritten(path: string, error: unknown): Failure {
  if (systemCodeOf(error) === 'EEXIST') {
    return new Failure(
      'usage',
      `${path} already exists`,
      'use another file (--out FILE), or replace it: add --overwrite',
    );
  }
  if (isNoSpace(error)) return diskFull(path, error);
  return new Failure(
    'unwritable-path',
    `the report cannot be written to ${shellWord(path)}: ${messageOf(error)}`,
    'name a file in a folder that exists and is writable: --out FILE',
    { cause: error },
  );
}
