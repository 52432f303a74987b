import { stateCodes } from './enum-codes.ts';
import { ColumnReader, ColumnWriter, type StringColumn } from './string-columns.ts';

/** What became of the entries of one request, by their positions. */
export interface Fates {
  /** Of `stateCodes`. */
  readonly states: Uint8Array;
  readonly jobIds: (string | undefined)[];
  readonly objectIds: (string | undefined)[];
  readonly failureReasons: (string | undefined)[];
}

/** Fates in which nothing is known of `count` entries. */
export function noFates(count: number): Fates {
  return {
    states: new Uint8Array(count),
    jobIds: new Array(count),
    objectIds: new Array(count),
    failureReasons: new Array(count),
  };
}

/** The fates of `count` entries that were all taken, each with its job. */
export function takenFates(jobIds: readonly string[], count: number): Fates {
  if (jobIds.length !== count) throw new Error(`${jobIds.length} jobs cannot be those of ${count} entries`);
  const states = new Uint8Array(count).fill(stateCodes.accepted);
  // Columns without an element hold nothing at any position.
  return { states, jobIds: [...jobIds], objectIds: [], failureReasons: [] };
}

/** Takes away all that is known of the entry at `position`. */
export function clearFate({ states, jobIds, objectIds, failureReasons }: Fates, position: number): void {
  states[position] = stateCodes.none;
  for (const column of [jobIds, objectIds, failureReasons]) column[position] = undefined;
}

const writer = new ColumnWriter();

export function packFates({ states, jobIds, objectIds, failureReasons }: Fates): Uint8Array {
  writer.writeBytes(states);
  for (const column of [jobIds, objectIds, failureReasons]) writer.writeCounted(column);
  return writer.take();
}

/**
 * Which states occur, `none` among them, a bit for each: by it answers are passed over that hold none of those looked
 * for.
 */
export function stateMask(states: Uint8Array): number {
  let mask = 0;
  for (const state of states) mask |= maskOf(state);
  return mask;
}

export function maskOf(state: number): number {
  return 1 << state;
}

/** The fates of one request, unpacked as far as they are asked for. */
export class PackedFates {
  readonly #states: Uint8Array;
  readonly #jobIds: StringColumn;
  readonly #objectIds: StringColumn;
  readonly #failureReasons: StringColumn;

  constructor(blob: Uint8Array, count: number) {
    const reader = new ColumnReader(blob);
    this.#states = reader.readBytes(count);
    this.#jobIds = reader.readColumn(count);
    this.#objectIds = reader.readColumn(count);
    this.#failureReasons = reader.readColumn(count);
  }

  stateAt(position: number): number {
    return this.#states[position] ?? stateCodes.none;
  }

  jobIdAt(position: number): string | undefined {
    return this.#jobIds.at(position);
  }

  objectIdAt(position: number): string | undefined {
    return this.#objectIds.at(position);
  }

  failureReasonAt(position: number): string | undefined {
    return this.#failureReasons.at(position);
  }

  /** All fates, to be changed and written again. */
  unpacked(): Fates {
    const fates = noFates(this.#states.length);
    fates.states.set(this.#states);
    for (let position = 0; position < this.#states.length; position += 1) {
      fates.jobIds[position] = this.jobIdAt(position);
      fates.objectIds[position] = this.objectIdAt(position);
      fates.failureReasons[position] = this.failureReasonAt(position);
    }
    return fates;
  }
}
