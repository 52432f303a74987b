import { type Placed, type PlanLine, placeKey } from './plan-line.ts';
import type { PushFlow } from './planned.ts';

/** Told of each record of a plan once it is decided on. */
export type PlanNote<R> = (line: PlanLine<R>) => void;

/**
 * Decides on every record, and tells `note` of each together with the record it is about. Between the two only the records wait that
 * are being decided on.
 */
export async function* notePlan<R extends Placed, Step>(
  flow: PushFlow<R, Step>,
  batches: AsyncIterable<readonly R[]>,
  note: PlanNote<R>,
): AsyncGenerator<readonly Step[]> {
  const waiting = new Map<string, R>();
  async function* seen(): AsyncGenerator<readonly R[]> {
    for await (const records of batches) {
      for (const record of records) waiting.set(placeKey(record), record);
      yield records;
    }
  }
  for await (const steps of flow.decide(seen())) {
    for (const { outcome, write } of steps.flatMap((step) => flow.plannedOf(step))) {
      const key = placeKey(outcome);
      const record = waiting.get(key);
      if (record === undefined)
        throw new Error(`no record of the input is at ${outcome.file}:${outcome.line}`);
      waiting.delete(key);
      note({ outcome, record, ...(write === undefined ? {} : { write }) });
    }
    yield steps;
  }
}
