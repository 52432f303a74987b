import type { PlanEntry } from '../steps/outcome.ts';
import { type Placed, type PlanLine, placeKey } from './plan-line.ts';
import { type PlanRequest, type PushFlow, planEntriesOf, type Settled } from './request.ts';

/** Called for each record of a plan once it is decided on. */
export type PlanNote<R> = (line: PlanLine<R>) => void;

/**
 * Decides on every record, and passes each decision with its record to `note`, group by group. Keeps only the undecided
 * records and their groups in memory.
 */
export async function* notePlan<R extends Placed, Q extends PlanRequest>(
  flow: PushFlow<R, Q>,
  batches: AsyncIterable<readonly R[]>,
  note: PlanNote<R>,
): AsyncGenerator<readonly (Q | Settled)[]> {
  const keyOf = (record: R) =>
    placeKey({ file: record.file, line: record.line, originId: flow.originIdOf(record) });
  const groupOf = flow.groupOf ?? keyOf;
  const waiting = new Map<string, { readonly record: R; readonly group: Group<R> }>();
  const groups = new Map<string, Group<R>>();
  async function* seen(): AsyncGenerator<readonly R[]> {
    for await (const records of batches) {
      for (const record of records) {
        const group = groups.get(groupOf(record)) ?? { undecided: 0, lines: [] };
        group.undecided += 1;
        groups.set(groupOf(record), group);
        waiting.set(keyOf(record), { record, group });
      }
      yield records;
    }
  }
  const conclude = ({ outcome, write }: PlanEntry) => {
    const key = placeKey(outcome);
    const found = waiting.get(key);
    if (found === undefined) throw new Error(`no record of the input is at ${outcome.file}:${outcome.line}`);
    const { record, group } = found;
    waiting.delete(key);
    group.undecided -= 1;
    group.lines.push({ outcome, record, ...(write === undefined ? {} : { write }) });
    if (group.undecided > 0) return;
    groups.delete(groupOf(record));
    for (const line of group.lines) note(line);
  };
  for await (const requests of flow.decide(seen())) {
    for (const planned of requests.flatMap(planEntriesOf)) conclude(planned);
    yield requests;
  }
}

/** A group with undecided records. */
interface Group<R> {
  undecided: number;
  readonly lines: PlanLine<R>[];
}
