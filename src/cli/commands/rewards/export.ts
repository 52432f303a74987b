import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { type ExitCode, Failure, messageOf } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { MoneyTotal } from '../../../base/money.ts';
import { nextRunId } from '../../../base/run-id.ts';
import { counted, groupedMoney } from '../../../output/terminal/totals.ts';
import { writeResultsFile } from '../../../payer/results-file.ts';
import type { Settlement } from '../../../settle/flow/settlement.ts';
import { exportRewards, isBegun, type WriteBatch } from '../../../settle/manual/export-rewards.ts';
import { settleLocks } from '../../../store/open-store.ts';
import { groupFlags, valueFlag } from '../../flags/flags.ts';
import { pushFlags } from '../../flags/sending-flags.ts';
import { runCapFlags, settleFlags } from '../../flags/settle-flags.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { refuseUnplanned } from '../../templates/settle/payment-plans.ts';
import { reportSettlement } from '../../templates/settle/settle-report.ts';
import { openResultsSettlement, settleLockHolders } from '../../templates/settle/settlement-session.ts';

const { concurrency: _ofCalls, refusedStatus: _told, ...ledgerAndCaps } = settleFlags;
const { expectTotal: _total, expectCount: _count, ...caps } = runCapFlags;

const flags = {
  ...groupFlags('Batch', {
    batch: valueFlag(
      () => z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'expected letters, digits, . _ -'),
      'NAME',
      'write this batch again, to a new file',
    ),
    progress: pushFlags.progress,
  }),
  ...caps,
  ...ledgerAndCaps,
  ...outputFlags,
};

type ExportInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  argument: { term: '<file>', help: 'the new CSV file to write, for a person to pay' },
  flags,
  examples: [
    'reviewctl rewards export november.csv --max-amount 500000',
    'reviewctl rewards export november.csv --batch november',
  ],
  exitCodes: [4, 5, 6, 7, 9, 11, 12],
  run: async (invocation) => {
    const { context, flags, notices } = invocation;
    refuseUnplanned(flags.planOwner, 'rewards export');
    const [path = ''] = invocation.args;
    const batch = flags.batch ?? `batch-${nextRunId(context.clock.now())}`;
    checkAbsent(path, flags.batch);
    checkFolder(path);
    const { maxAmount, maxCount } = flags;
    const maxPerRun = { amount: maxAmount ?? null, count: maxCount ?? null };
    const { settlement, place } = await openResultsSettlement(invocation, maxPerRun);
    const lock = await settleLocks(place).acquire(place.lockName, settleLockHolders);
    invocation.defer(() => lock.release());
    // Another run may have written it while this one opened the ledger.
    checkAbsent(path, flags.batch);
    const isNew = !(await isBegun(settlement.ledger, batch));
    const again = reviewctl`rewards export ${path} --batch ${batch}`;
    notices.info(
      hint`${batch}${isNew ? ', a new batch' : ''}: if this is interrupted, continue with ${again}`,
    );
    return exportBatch(invocation, path, batch, settlement);
  },
});

/** A person may be paying from an existing file. `batch` is the batch to be written again, if any. */
function checkAbsent(path: string, batch: string | undefined): void {
  if (/^-?$|\/$/.test(path)) throw new Failure('usage', 'a batch is written to a file', 'name a new file');
  if (/\.(?:ndjson|jsonl|json|tsv|xlsx?|html?)$/i.test(path))
    throw new Failure('usage', `${path}: a batch is a CSV file`, 'name a new file that ends with .csv');
  if (!existsSync(path)) return;
  const file = batch === undefined ? 'if it is a batch' : `if it is the file of ${batch}`;
  const ifOther = batch === undefined ? 'else use a new file' : 'use a new file only if it is another';
  throw new Failure(
    'usage',
    `${path} already exists, and someone may be paying from it`,
    hint`${file}, it is complete: fill in its outcomes, then ${reviewctl`rewards import ${path}`}; ${ifOther}`,
  );
}

/** Checks again just before the file appears, because listing and claiming take a while. */
function checkStillAbsent(path: string, batch: string): void {
  if (!existsSync(path)) return;
  throw new Failure(
    'usage',
    `${path} was created meanwhile, and someone may be paying from it; ${batch} was not written`,
    hint`to write it to a new file: ${reviewctl`rewards export NEW.csv --batch ${batch}`}`,
  );
}

/** Checks that the file can be written, because its payments are claimed before it is. */
function checkFolder(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Failure(
      'unreadable-path',
      `${path} cannot be written: ${messageOf(error)}; nothing was handed over`,
      'name a file in an existing folder you may write to, on a disk with room',
      { cause: error },
    );
  }
}

async function exportBatch(
  invocation: ExportInvocation,
  path: string,
  batch: string,
  settlement: Settlement,
): Promise<ExitCode> {
  const { flags, notices } = invocation;
  let total: MoneyTotal | undefined;
  let decided = 0;
  async function* counting(rewards: ReturnType<typeof exportRewards>) {
    for await (const reward of rewards) {
      if (reward.outcome.outcome === 'paid' || reward.outcome.outcome === 'refused') decided += 1;
      yield reward;
    }
  }
  const write: WriteBatch = async (payments) => {
    const { excel } = flags;
    total = await writeResultsFile(path, payments, {
      excel,
      checkAbsent: () => checkStillAbsent(path, batch),
    });
  };
  const exitCode = await reportSettlement(invocation, counting(exportRewards(settlement, { batch, write })), {
    heading: `${batch}: `,
    isHeldFailure: flags.failOnHeld,
    stop: () => undefined,
  });
  if (total === undefined) {
    if (exitCode === 0) notices.info('nothing to export: no file was written');
    return exitCode;
  }
  if (decided > 0) {
    notices.warning(
      `the outcome of ${counted(decided, 'payment')} in it is already known`,
      hint`do not pay these again: ${reviewctl`ledger list --payment paid,refused`}`,
    );
  }
  notices.info(
    hint`${counted(total.count, 'payment')} (${groupedMoney(total.amount)}) in ${path}: pay each once, fill in
      outcome (paid or refused), ref and message, then:
      ${reviewctl`rewards import ${path}`}`,
  );
  return exitCode;
}
