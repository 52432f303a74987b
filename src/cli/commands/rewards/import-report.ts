import { type ExitCode, Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { InputFile } from '../../../input/open/input-file.ts';
import { counted, groupedMoney } from '../../../output/terminal/totals.ts';
import type { ResultsCheck } from '../../../payer/read-results.ts';
import type { OpenBatch } from '../../../settle/manual/open-batches.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import type { FlagSet } from '../../flags/flags.ts';
import type { Invocation } from '../../runtime/command.ts';

type Noticing = Pick<Invocation<FlagSet>, 'notices'>;

/** Names each row that is wrong; nothing of the file was taken. */
export function reportProblems({ notices }: Noticing, { shownAs }: InputFile, check: ResultsCheck): ExitCode {
  for (const { line, field, message } of check.problems) {
    notices.problem({
      file: shownAs,
      line,
      column: field,
      code: 'result-differs',
      reason: message,
      remedy:
        field === 'outcome' || field === 'ref'
          ? 'outcome is paid, refused or blank; ref is the receipt of the payment'
          : 'sort and move whole rows only; a column that a spreadsheet changed may be deleted, except key and amount',
    });
  }
  notices.endProblems();
  notices.error(
    new Failure(
      'input',
      `${counted(check.problemCount, 'problem')} in ${shownAs}; nothing was imported`,
      'correct what is listed above and run the same command again',
    ),
  );
  return 3;
}

/** False where the file has no row for payments of its batch, which a person may believe to be complete. */
export function reportMissing(
  { notices }: Noticing,
  { shownAs }: InputFile,
  missing: readonly OpenBatch[],
  named: ReadonlySet<string>,
): boolean {
  const isEmpty = named.size === 0;
  if (isEmpty) {
    notices.warning(
      `${shownAs} has no rows${missing.length === 0 ? ', and no batch is open' : ''}; nothing was imported`,
      'check that this is the file with the outcomes filled in, and that it was saved completely',
    );
  }
  for (const { batch, count, amount, rewardIds } of missing) {
    const more = count > rewardIds.length ? ', …' : '';
    notices.warning(
      `${counted(count, 'payment')} (${groupedMoney(amount)}) of ${batch} ${count === 1 ? 'is' : 'are'} still ` +
        `open and not in ${shownAs}: ${rewardIds.join(', ')}${more}`,
      hint`import a file that has them; to write all of ${batch} again:
        ${reviewctl`rewards export FILE --batch ${batch}`}`,
    );
  }
  return !isEmpty && missing.length === 0;
}

/**
 * Names the payments that the file leaves open. False if it has no outcome at all: it may be the file as it was
 * exported, and a person may believe that their outcomes are recorded.
 */
export function reportOpen(
  { notices, args: [path = ''] }: Pick<Invocation<FlagSet>, 'notices' | 'args'>,
  { shownAs }: InputFile,
  { open, paid, refused }: ResultsCheck,
): boolean {
  const { count, amount, rewardIds } = open;
  if (count === 0) return true;
  if (paid + refused > 0) {
    notices.info(
      `${counted(count, 'payment')} of the file still open: fill in their outcome and import it again`,
    );
    return true;
  }
  const more = count > rewardIds.length ? ', …' : '';
  const again = path === '-' ? reviewctl`rewards import FILE` : reviewctl`rewards import ${path}`;
  notices.warning(
    `no row of ${shownAs} has an outcome; nothing was imported, and ${counted(count, 'payment')} ` +
      `(${groupedMoney(amount)}) of it ${count === 1 ? 'is' : 'are'} still open: ${rewardIds.join(', ')}${more}`,
    hint`fill in outcome (paid or refused), then: ${again}`,
  );
  return false;
}

/** What the service does not know yet. */
export async function reportUnconfirmed({ notices }: Noticing, ledger: Ledger): Promise<void> {
  const unconfirmed = (await ledger.sums()).filter(
    ({ payment, report }) =>
      (payment === 'paid' || payment === 'refused') && (report === 'pending' || report === 'sent'),
  );
  const count = unconfirmed.reduce((sum, state) => sum + state.count, 0);
  if (count > 0) {
    notices.warning(
      `${counted(count, 'reward')} decided, but not yet confirmed by the service`,
      'import the same file again once the service is reachable: nothing is recorded twice',
    );
  }
}
