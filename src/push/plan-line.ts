import type { Planned } from './planned.ts';

/** A record of a plan: the record itself, and what was decided on it. */
export interface PlanLine<R> extends Planned {
  readonly record: R;
}

/** Where a record stands in the input; no two stand at one place. */
export interface Placed {
  readonly file: string;
  readonly line: number;
}

/** A key of a place, for maps. */
export function placeKey({ file, line }: Placed): string {
  return `${line} ${file}`;
}
