import type { PlanEntry } from '../steps/outcome.ts';
import { type Placed, type PlanLine, placeKey } from './plan-line.ts';
import { type PlanRequest, type PushFlow, planEntriesOf, type Settled } from './request.ts';

/** Called for each record of a plan once it is decided on. */
export type PlanNote<R> = (line: PlanLine<R>) => void;

/**
 * Decides on every record, and passes each decision with its record to `note`, those of one group one after
 * the other. Between the two only the records wait that are being decided on, with those of their groups.
 */
export async function* notePlan<R extends Placed, Q extends PlanRequest>(
  flow: PushFlow<R, Q>,
  batches: AsyncIterable<readonly R[]>,
  note: PlanNote<R>,
): AsyncGenerator<readonly (Q | Settled)[]> {
  const waiting = new WaitingRecords(flow, note);
  async function* seen(): AsyncGenerator<readonly R[]> {
    for await (const records of batches) {
      for (const record of records) waiting.add(record);
      yield records;
    }
  }
  for await (const requests of flow.decide(seen())) {
    for (const request of requests) for (const planned of planEntriesOf(request)) waiting.settle(planned);
    yield requests;
  }
}

/** Records of which nothing is decided yet, or not on all of their group. */
interface Group<R> {
  undecided: number;
  readonly lines: PlanLine<R>[];
}

class WaitingRecords<R extends Placed> {
  readonly #keyOf: (record: R) => string;
  readonly #groupOf: (record: R) => string;
  readonly #note: PlanNote<R>;
  readonly #records = new Map<string, R>();
  readonly #groups = new Map<string, Group<R>>();

  constructor(flow: Pick<PushFlow<R, PlanRequest>, 'groupOf' | 'originIdOf'>, note: PlanNote<R>) {
    this.#keyOf = (record) =>
      placeKey({ file: record.file, line: record.line, originId: flow.originIdOf(record) });
    this.#groupOf = flow.groupOf ?? this.#keyOf;
    this.#note = note;
  }

  add(record: R): void {
    this.#records.set(this.#keyOf(record), record);
    const key = this.#groupOf(record);
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, { undecided: 1, lines: [] });
    else group.undecided += 1;
  }

  settle({ outcome, write }: PlanEntry): void {
    const key = placeKey(outcome);
    const record = this.#records.get(key);
    const group = record && this.#groups.get(this.#groupOf(record));
    if (record === undefined || group === undefined)
      throw new Error(`no record of the input is at ${outcome.file}:${outcome.line}`);
    this.#records.delete(key);
    group.undecided -= 1;
    group.lines.push({ outcome, record, ...(write === undefined ? {} : { write }) });
    if (group.undecided > 0) return;
    this.#groups.delete(this.#groupOf(record));
    for (const line of group.lines) this.#note(line);
  }
}
