import type { Answer } from '../../journal/packed/answer.ts';
import { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';
import type { JournaledKind, PushJournal } from '../../journal/push-journal.ts';
import type { RunLog } from '../../runs/run-log.ts';
import type { Connection } from '../../sql/connection.ts';
import type { Answers } from './answers.ts';
import type { JournalAccess } from './journal-access.ts';

/** Answers that are read at once. */
const answersAtOnce = 50;

/** Lists and settles unknown records. */
export function createResolve(
  { write }: Pick<JournalAccess, 'write'>,
  answers: Answers,
  runs: Pick<RunLog, 'noted'>,
): Pick<PushJournal, 'unresolved' | 'resolve'> {
  async function* unknownIn(ask: Connection['query']): AsyncGenerator<readonly UnknownRecord[]> {
    for (let last = 0; ; ) {
      const found = await answers.unknownAfter(ask, { id: last, limit: answersAtOnce });
      yield found.flatMap(unknownRecords);
      if (found.length < answersAtOnce) return;
      last = found.at(-1)?.id ?? last;
    }
  }

  return {
    unresolved: async (kind, run, originIds) => {
      const which = await whichOf(runs, run, originIds);
      return write(async ({ query }) => {
        const ids = new Set<string>();
        for await (const page of unknownIn(query)) {
          for (const record of page)
            if (record.kind === kindCodes[kind] && which.has(record)) ids.add(record.originId);
        }
        return [...ids];
      });
    },
    resolve: async (kind, run, finding, originIds) => {
      const which = await whichOf(runs, run, originIds);
      return write(async ({ query }, defer) => {
        const orders = new OrdersOfUnknown(kind, which);
        for await (const page of unknownIn(query)) for (const record of page) orders.take(record);
        let count = 0;
        for await (const page of unknownIn(query)) {
          const changes = new AnswerChanges();
          for (const record of page) {
            if (!orders.isSettled(record)) continue;
            changes.settle(record, finding);
            if (record.kind === kindCodes[kind]) count += 1;
          }
          for (const writing of answers.write(query, changes)) defer(writing);
        }
        return count;
      });
    },
  };
}

interface UnknownRecord {
  readonly answer: Answer;
  readonly position: number;
  readonly kind: number;
  readonly originId: string;
}

function unknownRecords(answer: Answer): readonly UnknownRecord[] {
  const { entries, fates } = answer;
  return Array.from({ length: entries.count }, (_, position) => position)
    .filter((position) => fates.stateAt(position) === stateCodes.unknown)
    .map((position) => ({
      answer,
      position,
      kind: entries.kindCodeAt(position),
      originId: entries.originIdAt(position),
    }));
}

/** Which unknown records are to be settled. */
interface Which {
  readonly run: string;
  /** Whether they were named; else they are all that the run left or met. */
  readonly areNamed: boolean;
  has(record: UnknownRecord): boolean;
}

/** What the run left unknown, and what it met as unknown from a run before. */
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
    has: ({ answer, originId }) =>
      (answer.run === run || met.has(originId)) && (named === undefined || named.has(originId)),
  };
}

/** An order goes with the last of its items: while one is unknown, so is whether the service has the order. */
class OrdersOfUnknown {
  readonly #kind: number;
  readonly #carrier: number;
  readonly #which: Which;
  readonly #settled = new Set<string>();
  readonly #unsettled = new Set<string>();

  constructor(kind: JournaledKind, which: Which) {
    this.#kind = kindCodes[kind];
    this.#carrier = kindCodes[kind === 'order-item' ? 'order' : kind];
    this.#which = which;
  }

  take(record: UnknownRecord): void {
    const order = record.answer.entries.orderAt(record.position);
    if (record.kind !== this.#kind || order === undefined) return;
    (this.#which.has(record) ? this.#settled : this.#unsettled).add(order);
  }

  isSettled(record: UnknownRecord): boolean {
    const { kind, originId, answer } = record;
    if (kind === this.#kind) return this.#which.has(record);
    if (kind !== this.#carrier || this.#unsettled.has(originId)) return false;
    const { areNamed, run } = this.#which;
    return this.#settled.has(originId) || (!areNamed && answer.run === run);
  }
}
