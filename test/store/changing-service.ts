import { pick, type Random, seededRandom } from '../../src/base/random.ts';
import type { ReadPage } from '../../src/store/checkpoints/checkpoint.ts';

export const startMs = Date.parse('2026-01-01T00:00:00Z');
const pageSize = 3;

/** The content of a cursor: the number of records to skip, the last record, or the last position in the order. */
export const cursorKinds = ['offsets', 'ids', 'keys'] as const;

interface Row {
  readonly id: string;
  readonly version: number;
  readonly updatedAt: string;
}

/**
 * A service whose records are changed, created and removed between the pages of a list, newest first, with times in
 * whole seconds. Its pages are linked by one kind of cursor.
 */
export class ChangingService {
  readonly #random: Random;
  readonly #cursor: (typeof cursorKinds)[number];
  readonly #rows = new Map<string, Row>();
  readonly #versions = new Map<string, number>();
  #seconds = 0;
  isResting = false;

  constructor(seed: number, cursor: (typeof cursorKinds)[number]) {
    this.#random = seededRandom(seed);
    this.#cursor = cursor;
  }

  get ownMs(): number {
    return startMs + this.#seconds * 1000;
  }

  /** Lets time pass, in which records change. */
  pass(): void {
    for (let changes = Math.floor(this.#random() * 6); changes >= 0; changes -= 1) {
      this.#seconds += this.#random() * 50;
      this.#change();
    }
  }

  /** The current records. */
  latest(): readonly string[] {
    return [...this.#rows.values()].map(({ id, version }) => `${JSON.stringify(id)} ${version}`);
  }

  async *pages(sinceMs = 0): AsyncGenerator<ReadPage> {
    let read = 0;
    let last: Row | undefined;
    for (;;) {
      const rows = this.#list(sinceMs);
      const from = this.#startAfter(rows, last, read);
      const sent = rows.slice(from, from + pageSize).map((row) => ({ ...row }));
      yield { sent, totalCount: rows.length, serviceMs: Math.floor(this.ownMs / 1000) * 1000 };
      read += sent.length;
      last = sent.at(-1);
      const isLast = from + pageSize >= rows.length;
      if (!this.isResting) this.#meanwhile();
      // A cursor that jumps back to the start must not loop for ever.
      if (isLast || last === undefined || read > 100) return;
    }
  }

  #list(sinceMs: number): readonly Row[] {
    const rows = [...this.#rows.values()].filter(({ updatedAt }) => Date.parse(updatedAt) >= sinceMs);
    return rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));
  }

  #startAfter(rows: readonly Row[], last: Row | undefined, read: number): number {
    if (last === undefined) return 0;
    if (this.#cursor === 'offsets') return read;
    if (this.#cursor === 'keys') return rows.filter((row) => placeOf(row) >= placeOf(last)).length;
    const index = rows.findIndex(({ id }) => id === last.id);
    return index === -1 ? rows.length : index + 1;
  }

  #meanwhile(): void {
    this.#seconds += this.#random() * 40;
    if (this.#random() < 0.4) this.#change();
    const [first, ...others] = this.#rows.keys();
    if (first !== undefined && this.#random() < 0.2)
      this.#rows.delete(pick(this.#random, [first, ...others]));
  }

  #change(): void {
    const id = `r${Math.floor(this.#random() * 14)}`;
    const version = (this.#versions.get(id) ?? 0) + 1;
    this.#versions.set(id, version);
    const updatedAt = new Date(startMs + Math.floor(this.#seconds) * 1000).toISOString();
    this.#rows.set(id, { id, version, updatedAt });
  }
}

/** The position of a record in the order of the list. */
function placeOf({ updatedAt, id }: Row): string {
  return `${updatedAt} ${id}`;
}
