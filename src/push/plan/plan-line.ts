import type { PlanEntry, RecordPlace } from '../steps/outcome.ts';

/** A record of a plan, with its decision. */
export interface PlanLine<R> extends PlanEntry {
  readonly record: R;
}

/** The place of a record in the input; one line of a JSON file may hold several records. */
export interface Placed {
  readonly file: string;
  readonly line: number;
}

/** A map key for an input record. */
export function placeKey({ file, line, originId }: RecordPlace): string {
  return `${line} ${originId.length} ${originId} ${file}`;
}
