import { stateCodes } from './codes.ts';
import type { Entries, Fates } from './columns.ts';
import { hashRecord } from './id-hash.ts';

/** An answer to a request: the fates of its entries. Later answers have greater numbers, and override earlier ones. */
export interface Answer {
  readonly id: number;
  /** The run that sent the request; none outside of a run. */
  readonly run: string | null;
  readonly entries: Entries;
  readonly fates: Fates;
}

/** The entry at one position of an answer. */
export interface FoundRecord {
  readonly answer: Answer;
  readonly position: number;
}

/** Asks for the last entries of records. */
export class Question {
  readonly #kind: number;
  readonly #places = new Map<string, number>();
  /** By the places of their originIds. */
  readonly #answers: (Answer | undefined)[];
  readonly #positions: Int32Array;
  readonly #isDecided: Uint8Array;
  #open: number;

  constructor(kind: number, originIds: readonly string[]) {
    this.#kind = kind;
    for (const [place, originId] of originIds.entries()) this.#places.set(originId, place);
    this.#answers = new Array(originIds.length);
    this.#positions = new Int32Array(originIds.length);
    this.#isDecided = new Uint8Array(originIds.length);
    this.#open = this.#places.size;
  }

  get isAnswered(): boolean {
    return this.#open === 0;
  }

  /** The hashes of records that are not decided yet. */
  hashes(state: number): Int32Array {
    const hashes = new Int32Array(this.#open);
    let count = 0;
    for (const [originId, place] of this.#places) {
      if (this.#isDecided[place] === 1) continue;
      hashes[count] = hashRecord(state, this.#kind, originId);
      count += 1;
    }
    return hashes;
  }

  /**
   * Answers are taken newest first, and of an id that comes twice in one, the last. A record that was forgotten is
   * decided, and not found.
   */
  take(answer: Answer): void {
    const { originIds, kinds } = answer.entries;
    const { states } = answer.fates;
    for (let position = originIds.length - 1; position >= 0; position -= 1) {
      if (states[position] === stateCodes.none || kinds[position] !== this.#kind) continue;
      const place = this.#places.get(originIds[position] ?? '');
      if (place === undefined || this.#isDecided[place] === 1) continue;
      this.#isDecided[place] = 1;
      this.#open -= 1;
      if (states[position] === stateCodes.forgotten) continue;
      this.#answers[place] = answer;
      this.#positions[place] = position;
    }
  }

  putFound<Made>(known: Map<string, Made>, make: (record: FoundRecord) => Made): void {
    for (const [originId, place] of this.#places) {
      const answer = this.#answers[place];
      const position = this.#positions[place] ?? 0;
      if (answer !== undefined) known.set(originId, make({ answer, position }));
    }
  }
  /** Whether this entry is the one that decides about its record. */
  isDecidedBy(entry: FoundRecord): boolean {
    const place = this.#places.get(originIdOf(entry)) ?? -1;
    return this.#answers[place]?.id === entry.answer.id && this.#positions[place] === entry.position;
  }
}

export function originIdOf({ answer: { entries }, position }: FoundRecord): string {
  return entries.originIds[position] ?? '';
}

export function kindCodeOf({ answer: { entries }, position }: FoundRecord): number {
  return entries.kinds[position] ?? 0;
}
