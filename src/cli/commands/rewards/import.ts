import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { InputFile } from '../../../input/open/input-file.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import { counted, groupedMoney } from '../../../output/terminal/totals.ts';
import { checkResults, type ResultRow, type ResultsCheck } from '../../../payer/read-results.ts';
import { statementSynonyms } from '../../../payer/read-statement.ts';
import { resultsColumns } from '../../../payer/results-file.ts';
import {
  findHandedOver,
  handedOver,
  importResults,
  isEarlierKey,
} from '../../../settle/manual/import-results.ts';
import { missingPayments, type OpenBatch } from '../../../settle/manual/open-batches.ts';
import type { Ledger, LedgerEntry } from '../../../store/ledger/ledger.ts';
import { tableFlags } from '../../flags/input-flags.ts';
import { pushFlags } from '../../flags/sending-flags.ts';
import { settleFlags } from '../../flags/settle-flags.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { openTable } from '../../templates/push/open-table.ts';
import { reportSettlement } from '../../templates/settle/settle-report.ts';
import { openResultsSettlement } from '../../templates/settle/settlement-session.ts';
import { resultRows, withWholeIds } from './result-rows.ts';

const {
  maxPerReward: _one,
  maxPerMember: _member,
  maxAmountPerDay: _day,
  concurrency: _calls,
  planOwner: _planner,
  ...reportFlags
} = settleFlags;

const flags = {
  ...tableFlags,
  ...reportFlags,
  ...outputFlags,
  progress: pushFlags.progress,
};

export const command = defineCommand({
  argument: { term: '<file>', help: 'the exported file with its outcomes filled in; - for standard input' },
  flags,
  examples: ['reviewctl rewards import november.csv'],
  isMonitored: true,
  exitCodes: [3, 4, 5, 6, 9, 11, 12],
  run: async (invocation) => {
    const { file, options } = await openTable(invocation.args[0] ?? '', 'the results', invocation);
    // Nothing is claimed here, so caps do not apply.
    const { settlement, session } = await openResultsSettlement(invocation, { amount: null, count: null });
    const rows = () => rowsOf(file, options);
    const handed = await findHandedOver(settlement.ledger, await keysOf(rows()));
    const check = await checkResults(rows(), {
      find: (key) => {
        const entry = handed.get(key);
        return entry && handedOver(entry);
      },
      isEarlier: (key, rewardId) => isEarlierKey(settlement.ledger, key, rewardId),
    });
    if (check.problemCount > 0) return reportProblems(invocation, file, check);
    await session.confirmWrites();
    const imported = importResults(settlement, check.results, handed);
    const exitCode = await reportSettlement(invocation, imported, reporting);
    const isFilledIn = reportOpen(invocation, file, check);
    reportOtherReceipts(invocation, check, handed);
    await reportUnconfirmed(invocation, settlement.ledger);
    const named = new Set([...handed.values()].map(({ rewardId }) => rewardId));
    const missing = await missingPayments(settlement.ledger, named);
    const isWhole = reportMissing(invocation, file, missing, named);
    return isFilledIn && isWhole ? exitCode : strongestExitCode([exitCode, 6]);
  },
});

const reporting = { heading: '', isHeldFailure: false, stop: () => undefined };

// Not of the other columns: they are compared, and a shop may have columns of its own with such names.
const { key, amount, ref } = statementSynonyms;

function rowsOf(file: InputFile, settings: Partial<InputOptions>): AsyncGenerator<ResultRow> {
  const columns = {
    required: ['key', 'amount', 'outcome'],
    known: resultsColumns,
    synonyms: { key, amount, ref },
  };
  return withWholeIds(resultRows(file, settings, columns), file.shownAs, ['ref']);
}

/** Maximum payments of one file; a larger batch is split. */
const keysMaximum = 1_000_000;

async function keysOf(rows: AsyncIterable<ResultRow>): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for await (const { line, cells } of rows) {
    const { key } = cells;
    if (typeof key === 'string') keys.add(key.trim());
    if (keys.size > keysMaximum)
      throw new Failure(
        'input',
        `line ${line}: more than ${keysMaximum} payments`,
        'import the file in parts',
      );
  }
  return keys;
}

/** Reports each invalid row; nothing of the file was imported. */
export function reportProblems(
  { notices }: Invocation,
  { shownAs }: InputFile,
  check: ResultsCheck,
): ExitCode {
  for (const { line, field, message, remedy } of check.problems) {
    notices.problem({
      file: shownAs,
      line,
      column: field,
      code: 'result-differs',
      reason: message,
      remedy:
        remedy ??
        (field === 'outcome' || field === 'ref'
          ? 'outcome is paid, refused or blank; ref is the receipt of the payment'
          : 'sort and move whole rows only; a column that a spreadsheet changed may be deleted, except key and amount'),
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

/** Returns false if the file lacks payments of its batch, because a person may believe that it is complete. */
export function reportMissing(
  { notices }: Invocation,
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
 * Reports the payments that the file leaves open. Returns false if it has no outcome at all: it may be the exported
 * file, unchanged, and a person may believe that its outcomes are recorded.
 */
export function reportOpen(
  { notices, args: [path = ''] }: Invocation,
  { shownAs }: InputFile,
  { open, results }: ResultsCheck,
): boolean {
  const { count, amount, rewardIds } = open;
  if (count === 0) return true;
  if (results.length > 0) {
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

/** Warns of payments that were recorded earlier with another receipt: two persons may have paid from the file. */
function reportOtherReceipts(
  { notices }: Invocation,
  { results }: ResultsCheck,
  handed: ReadonlyMap<string, LedgerEntry>,
): void {
  const [first, ...others] = results.flatMap(({ key, ref }) => {
    const { rewardId, ref: recorded } = handed.get(key) ?? {};
    return ref === undefined || recorded == null || ref === recorded ? [] : [{ rewardId, ref, recorded }];
  });
  if (first === undefined) return;
  const count = others.length + 1;
  notices.warning(
    `${counted(count, 'payment')} ${count === 1 ? 'was' : 'were'} recorded earlier with another receipt, which ` +
      `stays; the first: reward ${first.rewardId} has ${first.recorded}, not ${first.ref}`,
    'if both receipts are of a payment, it was paid twice: ask the payer to reverse one',
  );
}

/** Warns of outcomes that the service has not confirmed yet. */
export async function reportUnconfirmed({ notices }: Invocation, ledger: Ledger): Promise<void> {
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
