import { stateCodes } from './codes.ts';
import type { Entries, Fates } from './columns.ts';
import { hashRecord } from './id-hash.ts';
import type { JournaledKind } from './push-journal.ts';

/** An answer to a request: the fates of its entries. Later answers have greater numbers, and override earlier ones. */
export interface Answer {
  readonly id: number;
  readonly kind: JournaledKind;
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
}

/** Finds those of some entries that are the last ones of their records. */
export class LastEntries<Found extends FoundRecord> {
  readonly #entries: readonly Found[];
  readonly #last = new Map<string, Place>();

  constructor(entries: readonly Found[]) {
    this.#entries = entries;
    for (const { answer, position } of entries) this.#note(answer, position, true);
    for (const answer of new Set(entries.map((entry) => entry.answer))) this.take(answer);
  }

  hashes(state: number): Int32Array {
    return Int32Array.from(this.#entries, ({ answer: { entries }, position }) =>
      hashRecord(state, entries.kinds[position] ?? 0, entries.originIds[position] ?? ''),
    );
  }

  /** Answers are taken in any order. */
  take(answer: Answer): void {
    const { states } = answer.fates;
    for (let position = 0; position < states.length; position += 1) {
      if (states[position] !== stateCodes.none) this.#note(answer, position, false);
    }
  }

  list(): readonly Found[] {
    return this.#entries.filter(({ answer, position }) => {
      const last = this.#last.get(keyAt(answer.entries, position));
      return last?.id === answer.id && last.position === position;
    });
  }

  #note({ id, entries }: Answer, position: number, isEntry: boolean): void {
    const key = keyAt(entries, position);
    const last = this.#last.get(key);
    if (last === undefined ? !isEntry : id < last.id || (id === last.id && position <= last.position)) return;
    this.#last.set(key, { id, position });
  }
}

/** The place of an entry: the number of its answer, and its position there. */
interface Place {
  readonly id: number;
  readonly position: number;
}

function keyAt({ kinds, originIds }: Entries, position: number): string {
  return `${kinds[position]} ${originIds[position]}`;
}
