import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { Schedule } from './schedule.ts';

/**
 * A ledger whose database answers within one turn. Other processes may run before a change, and before its result is
 * returned. `change` makes the change.
 */
export function ledgerInTurns(
  ledger: Ledger,
  schedule: Schedule,
  seat: { readonly run: string },
  change: Ledger['change'] = (...change) => ledger.change(...change),
): Ledger {
  const turn = (what: string) => schedule.turn(seat.run, what);
  const aside = <T>(work: Promise<T>) => schedule.aside(work);
  return {
    ...ledger,
    find: (rewardId) => aside(ledger.find(rewardId)),
    findSameReceipt: (entry) => aside(ledger.findSameReceipt(entry)),
    reversals: () => pagesAside(schedule, ledger.reversals()),
    lastEventAtMs: () => aside(ledger.lastEventAtMs()),
    hasEvent: (mark) => aside(ledger.hasEvent(mark)),
    entries: (filter) => pagesAside(schedule, ledger.entries(filter)),
    events: (rewardId) => pagesAside(schedule, ledger.events(rewardId)),
    lastSeq: () => aside(ledger.lastSeq()),
    lastEvent: () => aside(ledger.lastEvent()),
    sums: () => aside(ledger.sums()),
    budgets: (prefix) => aside(ledger.budgets(prefix)),
    fence: () => aside(ledger.fence()),
    beginRun: (start) => aside(ledger.beginRun(start)),
    noteSuccess: (run, atMs) => aside(ledger.noteSuccess(run, atMs)),
    freeze: (reason) => aside(ledger.freeze(reason)),
    unfreeze: () => aside(ledger.unfreeze()),
    meta: () => aside(ledger.meta()),
    change: async (rewardId, step, options) => {
      await turn('asks for a change');
      const stepped = await aside(change(rewardId, step, options));
      await turn('hears that it is made');
      return stepped;
    },
  };
}

async function* pagesAside<T>(schedule: Schedule, pages: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = pages[Symbol.asyncIterator]();
  for (;;) {
    const page = await schedule.aside(iterator.next());
    if (page.done === true) return;
    yield page.value;
  }
}
