import type { JsonObject } from '../../base/json.ts';
import { entryView, unknownEntryView } from '../../output/reward-views.ts';
import { listTotal } from '../../output/totals.ts';
import { entryRecord } from '../../settle/entry-record.ts';
import type { EntryFilter, Ledger } from '../../store/ledger.ts';
import { isOwnerAlive } from '../../store/owner-lock.ts';
import { defineCommand } from '../command.ts';
import { listFlag, wordValue } from '../flags/flags.ts';
import { outputFlags } from '../flags/shared-flags.ts';
import { limitFlag, writeList } from '../list-frame/write-list.ts';
import { lookAtLedger, offlineFlags } from './offline-ledger.ts';

const pays = ['intended', 'paying', 'unknown', 'paid', 'refused'] as const;
const tolds = ['open', 'told', 'confirmed', 'conflict'] as const;

export const ledgerList = defineCommand({
  flags: {
    pay: listFlag(wordValue(pays), { value: 'WORD', help: `those whose money is: ${pays.join(', ')}` }),
    told: listFlag(wordValue(tolds), {
      value: 'WORD',
      help: `those of which the service is: ${tolds.join(', ')}`,
    }),
    limit: limitFlag,
    ...outputFlags,
    ...offlineFlags,
  },
  examples: [
    'reviewctl ledger list --pay unknown',
    'reviewctl ledger list --told conflict,told -o csv --excel > untold.csv',
  ],
  exitCodes: [9, 12],
  run: (invocation) =>
    lookAtLedger(invocation, async (ledger, { ownersFolder }) => {
      const { pay, told, limit } = invocation.flags;
      const filter = { ...(pay === undefined ? {} : { pay }), ...(told === undefined ? {} : { told }) };
      const isAlive = (owner: string) => isOwnerAlive(ownersFolder, owner);
      const isOfUnknown = pay?.length === 1 && pay[0] === 'unknown';
      const total = (await ledger.sums())
        .filter((sum) => (pay?.includes(sum.pay) ?? true) && (told?.includes(sum.told) ?? true))
        .reduce((count, sum) => count + sum.count, 0);
      const { written, isCut } = await writeList(
        invocation,
        records(ledger, filter, { limit, isAlive }),
        isOfUnknown ? unknownEntryView : entryView,
        { summary: (count) => listTotal(count, total, 'reward') },
      );
      if (isOfUnknown && written > 0 && !isCut) {
        invocation.notices.info(
          'ask the payer of each key whether it paid that amount to that member; then: reviewctl ledger resolve ID --paid --ref R, or --not-paid --reason …',
        );
      }
      return 0;
    }),
});

interface Reading {
  readonly limit: number | undefined;
  readonly isAlive: (owner: string) => Promise<boolean | undefined>;
}

async function* records(
  ledger: Ledger,
  filter: EntryFilter,
  { limit = Number.POSITIVE_INFINITY, isAlive }: Reading,
): AsyncGenerator<readonly JsonObject[]> {
  let left = limit;
  if (left === 0) return;
  for await (const page of ledger.entries(filter)) {
    const shown = page.slice(0, left);
    yield await Promise.all(shown.map((entry) => entryRecord(entry, { isOwnerAlive: isAlive })));
    left -= shown.length;
    if (left === 0) return;
  }
}
