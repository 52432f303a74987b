import type { RunLog } from '../runs/run-log.ts';
import type { Sql } from '../sql/sql.ts';
import { AnswerChanges, type Answers } from './answers.ts';
import { type Answer, type FoundRecord, kindOf, originIdOf } from './last-entries.ts';
import type { JournaledKind, PushJournal } from './push-journal.ts';
import { type JournalTables, lockState } from './tables.ts';

type Query = Sql['read'];

/** Lists and resolves unknown records. */
export function createResolve(
  tables: JournalTables,
  answers: Answers,
  runs: Pick<RunLog, 'noted'>,
): Pick<PushJournal, 'unresolved' | 'resolve'> {
  const { sql } = tables;
  async function* unknownRecords(query: Query): AsyncGenerator<readonly FoundRecord[]> {
    for await (const page of answers.list(['unknown'], query))
      yield await answers.current(page.flatMap(unknownIn), query);
  }

  return {
    unresolved: async (kind, run, originIds) => {
      const which = await whichOf(runs, run, originIds);
      const ids = new Set<string>();
      for await (const page of unknownRecords(sql.read)) {
        for (const record of page) {
          if (kindOf(record) === kind && which.has(record)) ids.add(originIdOf(record));
        }
      }
      return [...ids];
    },
    resolve: async (kind, run, finding, originIds) => {
      const which = await whichOf(runs, run, originIds);
      return sql.write(async (transaction) => {
        await lockState(tables, transaction.query);
        const orders = new OrdersOfUnknown(kind, which);
        for await (const page of unknownRecords(transaction.query))
          for (const record of page) orders.add(record);
        let count = 0;
        for await (const page of unknownRecords(transaction.query)) {
          const changes = new AnswerChanges();
          for (const record of page) {
            if (!orders.isSettled(record)) continue;
            changes.settle(record, finding);
            if (kindOf(record) === kind) count += 1;
          }
          await answers.write(transaction, changes);
        }
        return count;
      });
    },
  };
}

function unknownIn(answer: Answer): FoundRecord[] {
  return answer.outcomes.states.flatMap((state, position) =>
    state === 'unknown' ? { answer, position } : [],
  );
}

/** Selects the unknown records to resolve. */
interface Which {
  readonly run: string;
  /** True if records were named; otherwise all that the run left or met are meant. */
  readonly areNamed: boolean;
  has(record: FoundRecord): boolean;
}

/** Selects the records that the run left unknown, and those that it met as unknown from an earlier run. */
async function whichOf(
  runs: Pick<RunLog, 'noted'>,
  run: string,
  originIds: readonly string[] | undefined,
): Promise<Which> {
  const met = new Set<string>();
  for await (const page of runs.noted(run)) {
    for (const { originId, outcome } of page) if (outcome === 'unknown') met.add(originId);
  }
  const named = originIds === undefined ? undefined : new Set(originIds);
  return {
    run,
    areNamed: named !== undefined,
    has: (record) => {
      const originId = originIdOf(record);
      return (record.answer.run === run || met.has(originId)) && (named === undefined || named.has(originId));
    },
  };
}

/** Decides an order with the last of its items: while one is unknown, so is the order. */
class OrdersOfUnknown {
  readonly #kind: JournaledKind;
  readonly #carrier: JournaledKind;
  readonly #which: Which;
  readonly #settled = new Set<string>();
  readonly #unsettled = new Set<string>();

  constructor(kind: JournaledKind, which: Which) {
    this.#kind = kind;
    this.#carrier = kind === 'order-item' ? 'order' : kind;
    this.#which = which;
  }

  add(record: FoundRecord): void {
    const order = record.answer.entries.orders[record.position];
    if (kindOf(record) !== this.#kind || typeof order !== 'string') return;
    (this.#which.has(record) ? this.#settled : this.#unsettled).add(order);
  }

  isSettled(record: FoundRecord): boolean {
    const [kind, originId] = [kindOf(record), originIdOf(record)];
    if (kind === this.#kind) return this.#which.has(record);
    if (kind !== this.#carrier || this.#unsettled.has(originId)) return false;
    const { areNamed, run } = this.#which;
    return this.#settled.has(originId) || (!areNamed && record.answer.run === run);
  }
}
