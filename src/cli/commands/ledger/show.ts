import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { chosenFormat } from '../../../output/formats/formats.ts';
import { writeOutput } from '../../../output/terminal/streams.ts';
import { entryView, eventView } from '../../../output/views/reward-views.ts';
import { runningInWords } from '../../../payer/program-outcome.ts';
import { entryRecord, eventRecord, runningPayer } from '../../../settle/flow/entry-record.ts';
import type { Ledger, LedgerEntry } from '../../../store/ledger/ledger.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printRecord, printRecords } from '../../runtime/print.ts';
import { offlineFlags, useLedger } from './offline-ledger.ts';

/** Maximum events shown of one reward, the newest. */
const eventsMaximum = 1_000;

const view = { ...entryView, csvColumns: [...entryView.csvColumns, 'events'] };

export const command = defineCommand({
  argument: { term: '<id>', help: 'the reward, by its id at the service' },
  flags: { ...outputFlags, ...offlineFlags },
  examples: ['reviewctl ledger show 4711', 'reviewctl ledger show 4711 -o json'],
  exitCodes: [4, 5, 6, 9, 12],
  run: async (invocation) => {
    const { ledger, place, isOwnerAlive } = await useLedger(invocation);
    const { callRecordsFolder } = place;
    const { args, context, flags, notices } = invocation;
    const { streams } = context;
    const [rewardId = ''] = args;
    const entry = await requireEntry(ledger, rewardId);
    const record = await entryRecord(entry, { isOwnerAlive, callRecordsFolder });
    const running = runningPayer(entry, callRecordsFolder);
    if (running !== undefined) notices.info(runningInWords(running));
    const { events, leftOut } = await lastEvents(ledger, rewardId);
    if (leftOut > 0) notices.info(`the ${leftOut} oldest events are not shown`);
    const format = chosenFormat(flags.output, streams);
    if (format !== 'table' || flags.fields !== undefined) {
      await printRecord(invocation, view, { ...record, events });
      return;
    }
    await printRecord(invocation, view, record);
    await writeOutput(streams, '\n');
    await printRecords(invocation, eventView, events);
  },
});

/** @throws Failure('not-found') if the ledger does not contain the reward. */
export async function requireEntry(ledger: Ledger, rewardId: string): Promise<LedgerEntry> {
  const entry = await ledger.find(rewardId);
  if (entry !== undefined) return entry;
  throw new Failure(
    'not-found',
    `the ledger does not contain the reward '${rewardId}'`,
    hint`the ledger contains only rewards seen by a settlement (${reviewctl`ledger list -o ids`}); to list all:
      ${reviewctl`rewards list`}`,
  );
}

async function lastEvents(
  ledger: Ledger,
  rewardId: string,
): Promise<{ readonly events: readonly JsonObject[]; readonly leftOut: number }> {
  let events: readonly JsonObject[] = [];
  let count = 0;
  for await (const page of ledger.events(rewardId)) {
    count += page.length;
    events = [...events, ...page.map(eventRecord)].slice(-eventsMaximum);
  }
  return { events, leftOut: count - events.length };
}
