import type { Entries, Outcomes } from './columns.ts';
import { hashRecord } from './id-hash.ts';
import type { JournaledKind } from './push-journal.ts';

/** An answer to a request, with the outcomes of its entries. Ids increase, and later answers override earlier ones. */
export interface Answer {
  readonly id: number;
  /** The run that sent the request; null outside a run. */
  readonly run: string | null;
  readonly entries: Entries;
  readonly outcomes: Outcomes;
}

/** The entry at one position of an answer. */
export interface FoundRecord {
  readonly answer: Answer;
  readonly position: number;
}

/** Collects the last entries of records. */
export class Question {
  readonly #kind: JournaledKind;
  /** By originId: null until the record is decided, false for a forgotten one. */
  readonly #records: Map<string, FoundRecord | null | false>;
  /** The last entries, if they failed. They say nothing about an earlier creation. */
  readonly #failed = new Map<string, FoundRecord>();
  #open: number;

  constructor(kind: JournaledKind, originIds: readonly string[]) {
    this.#kind = kind;
    this.#records = new Map(originIds.map((originId) => [originId, null]));
    this.#open = this.#records.size;
  }

  get isAnswered(): boolean {
    return this.#open === 0;
  }

  /** The hashes of records not decided yet. */
  hashes(state: number): Int32Array {
    const hashes = new Int32Array(this.#open);
    let count = 0;
    for (const [originId, record] of this.#records) {
      if (record !== null) continue;
      hashes[count] = hashRecord(state, this.#kind, originId);
      count += 1;
    }
    return hashes;
  }

  /**
   * Adds answers newest first, and the last of equal ids in one answer. A forgotten record is decided as not found. A
   * record that was created earlier and failed when sent again stays as created.
   */
  add(answer: Answer): void {
    const { originIds, kinds } = answer.entries;
    const { states } = answer.outcomes;
    for (let position = originIds.length - 1; position >= 0; position -= 1) {
      if (states[position] === 'none' || kinds[position] !== this.#kind) continue;
      const originId = originIds[position] ?? '';
      if (this.#records.get(originId) !== null) continue;
      const state = states[position];
      const failed = this.#failed.get(originId);
      if (state === 'failed') {
        if (failed === undefined) this.#failed.set(originId, { answer, position });
        continue;
      }
      const isMade = state !== 'forgotten' && state !== 'unknown';
      const last = state !== 'forgotten' && { answer, position };
      this.#records.set(originId, isMade ? last : (failed ?? last));
      this.#open -= 1;
    }
  }

  putFound<Made>(known: Map<string, Made>, make: (record: FoundRecord) => Made): void {
    for (const [originId, record] of this.#records) {
      const found = record ?? this.#failed.get(originId);
      if (found) known.set(originId, make(found));
    }
  }

  putLast(last: Map<string, FoundRecord>): void {
    for (const originId of this.#records.keys()) {
      const record = this.#last(originId);
      if (record) last.set(originId, record);
    }
  }

  /** True if this entry is the last one of its record. */
  isLast(entry: FoundRecord): boolean {
    const record = this.#last(originIdOf(entry));
    if (!record) return false;
    return record.answer.id === entry.answer.id && record.position === entry.position;
  }

  #last(originId: string): FoundRecord | null | false | undefined {
    return this.#failed.get(originId) ?? this.#records.get(originId);
  }
}

export function originIdOf({ answer: { entries }, position }: FoundRecord): string {
  return entries.originIds[position] ?? '';
}

export function kindOf({ answer: { entries }, position }: FoundRecord): JournaledKind | undefined {
  return entries.kinds[position];
}
