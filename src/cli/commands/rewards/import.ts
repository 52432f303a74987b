import { Failure, strongestExitCode } from '../../../base/failure.ts';
import type { InputFile } from '../../../input/open/input-file.ts';
import { openInput } from '../../../input/open/open.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import { checkResults, type ResultRow, resultsOf } from '../../../payer/read-results.ts';
import { resultsColumns } from '../../../payer/results-record.ts';
import { findHandedOver, handedOver, importResults } from '../../../settle/manual/import-results.ts';
import { missingPayments } from '../../../settle/manual/open-batches.ts';
import { inputFlags } from '../../flags/input-flags.ts';
import { pushFlags } from '../../flags/sending-flags.ts';
import { settleFlags } from '../../flags/settle-flags.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { standardInput } from '../../runtime/standard-input.ts';
import { openTable } from '../../templates/push/open-table.ts';
import { reportSettlement } from '../../templates/settle/settle-report.ts';
import { withResultsPayer } from '../../templates/settle/settlement-session.ts';
import { reportMissing, reportOpen, reportProblems, reportUnconfirmed } from './import-report.ts';
import { resultRows } from './result-rows.ts';

const {
  maxPerReward: _one,
  maxPerMember: _member,
  maxAmountPerDay: _day,
  concurrency: _calls,
  planOwner: _planner,
  ...reportFlags
} = settleFlags;
const { format, encoding, sheet, workbookPasswordFile, delimiter, headerRow } = inputFlags;

const flags = {
  format,
  encoding,
  sheet,
  workbookPasswordFile,
  delimiter,
  headerRow,
  ...reportFlags,
  ...outputFlags,
  progress: pushFlags.progress,
};

/** Nothing is claimed here, so nothing is capped. */
const noCaps = { maxPerReward: undefined, maxPerMember: undefined, maxAmountPerDay: undefined };

export const rewardsImport = defineCommand({
  argument: { term: '<file>', help: 'the exported file with its outcomes filled in; - for standard input' },
  flags,
  examples: ['reviewctl rewards import november.csv'],
  isMonitored: true,
  exitCodes: [3, 4, 5, 6, 9, 11, 12],
  run: async (invocation) => {
    const { context, flags } = invocation;
    const [path = ''] = invocation.args;
    const stdin = path === '-' ? standardInput(invocation, 'the results') : context.stdin;
    const input = await openInput([path], { stdin, stopping: context.stopping, isReadAgain: true });
    try {
      const [file] = input.files;
      if (file === undefined) throw new Error('one file was opened');
      const options = { maxPerRun: { amount: null, count: null }, isOnRecord: true };
      return await withResultsPayer(
        { ...invocation, flags: { ...flags, ...noCaps } },
        options,
        async (settlement, session) => {
          const settings = await openTable(input, invocation);
          const rows = () => rowsOf(file, settings);
          const handed = await findHandedOver(settlement.ledger, await keysOf(rows()));
          const check = await checkResults(rows(), async (key) => {
            const entry = handed.get(key);
            return entry === undefined ? undefined : handedOver(entry);
          });
          if (check.problemCount > 0) return reportProblems(invocation, file, check);
          await session.confirmWrites();
          const imported = importResults(settlement, resultsOf(rows()), handed);
          const exitCode = await reportSettlement(invocation, imported, reporting);
          const isFilledIn = reportOpen(invocation, file, check);
          await reportUnconfirmed(invocation, settlement.ledger);
          const named = new Set([...handed.values()].map(({ rewardId }) => rewardId));
          const isWhole = reportMissing(
            invocation,
            file,
            await missingPayments(settlement.ledger, named),
            named,
          );
          return isFilledIn && isWhole ? exitCode : strongestExitCode([exitCode, 6]);
        },
      );
    } finally {
      await input.close();
    }
  },
});

const reporting = { heading: '', isHeldFailure: false, stop: () => undefined };

function rowsOf(file: InputFile, settings: Partial<InputOptions>): AsyncGenerator<ResultRow> {
  const columns = { required: ['key', 'amount', 'outcome'], known: resultsColumns };
  return resultRows(file, settings, columns);
}

/** Payments of one file; a larger batch is split. */
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
