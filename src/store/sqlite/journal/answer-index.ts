import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from '../../journal/packed/answer.ts';
import { HashFilter } from '../../journal/packed/hash-filter.ts';
import type { FileAccess } from './access.ts';
import type { Answers } from './answers.ts';
import { HashTable } from './hash-table.ts';
import { IndexSegments, type Segment } from './index-segments.ts';

/** When parts of an index are written. */
export interface IndexSizes {
  /** Hashes in memory that become a segment while the journal is in use. */
  readonly memoryMaximum: number;
  /**
   * Hashes, and answers, that are left to be read again when the journal is opened next; more become a segment when it
   * is closed.
   */
  readonly unwrittenMaximum: number;
  readonly unwrittenAnswers: number;
  /** Segments of about one size that are merged into one. */
  readonly mergedAtOnce: number;
}

export const indexSizes: IndexSizes = {
  memoryMaximum: 2 ** 18,
  unwrittenMaximum: 2 ** 14,
  unwrittenAnswers: 512,
  mergedAtOnce: 8,
};

/** What an index is of. */
export interface IndexOptions {
  /** Its number in the file. */
  readonly number: number;
  /** Calls `add` with the hashes under which an answer is to be found. */
  readonly hashesOf: (answer: Answer, add: (hash: number) => void) => void;
  readonly sizes: IndexSizes;
  readonly isReadOnly: boolean;
}

/** A segment with its lookups. Once many of them missed, a filter saves most of the later misses. */
interface OpenSegment {
  readonly segment: Segment;
  filter: HashFilter | undefined;
  missedLookups: number;
}

/** Answers that are read in one turn of the event loop. */
const answersPerTurn = 200;
const anyState = 0xff;
/**
 * Hashes that are known to be absent: what is about to be sent is looked up twice, before it is sent and when it is
 * entered.
 */
const absentKept = 2 ** 15;
/** Misses before a filter is considered. */
const missedMinimum = 64;

/**
 * Finds answers by hashes of what they hold. What was answered since the last segment was written is kept in memory,
 * and read again from the answers themselves when the journal is opened: the index may be late, it is never wrong. An
 * answer that it names may hold nothing of that hash any more; none that does is missing.
 */
export class AnswerIndex {
  readonly #read: FileAccess['read'];
  readonly #answers: Answers;
  readonly #segments: IndexSegments;
  readonly #options: IndexOptions;
  readonly #found: number[] = [];
  /** Hashes of which there was nothing when they were last looked up; 0 where there is none. */
  readonly #absent = new Int32Array(absentKept);
  #recent = new HashTable();
  /** Being written to a segment. */
  #written: { readonly table: HashTable; readonly through: number } | undefined;
  #open: readonly OpenSegment[] = [];
  /** The last answer that is in memory or in a segment. */
  #through = 0;
  /** The last one that is in a segment. */
  #writtenThrough = 0;
  #isLoaded = false;
  #loading: Promise<void> | undefined;
  #filtering: Promise<void> | undefined;

  constructor(access: FileAccess, answers: Answers, options: IndexOptions) {
    this.#read = access.read;
    this.#answers = answers;
    this.#segments = new IndexSegments(access, options.number);
    this.#options = options;
  }

  /** The last answer that was indexed. */
  get through(): number {
    return this.#through;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Takes in what is in no segment, a slice a turn of the event loop. Before that nothing can be found. */
  async load(): Promise<void> {
    if (this.#isLoaded) return;
    this.#loading ??= this.#loadAll().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  /** Takes in what another process may have written. */
  refresh(): void {
    this.#openSegments();
    while (this.#takeSlice());
  }

  /** Forgets what is in no segment, since part of it was rolled back; `refresh` reads the rest again. */
  forget(): void {
    this.#recent = new HashTable();
    this.#through = this.#written?.through ?? 0;
  }

  /** Takes in `hash` of the answer `id`, which comes after all others. */
  add(hash: number, id: number): void {
    this.#recent.add(hash, id);
    this.#absent[hash & (absentKept - 1)] = 0;
    this.#through = id;
  }

  /** The answers that may hold something of `hash`; good until the next call. */
  find(hash: number): readonly number[] {
    const found = this.#found;
    if (found.length > 0) found.length = 0;
    if (hash !== 0 && this.#absent[hash & (absentKept - 1)] === hash) return found;
    this.#recent.find(hash, found);
    this.#written?.table.find(hash, found);
    for (const open of this.#open) {
      if (open.filter !== undefined && !open.filter.mayHave(hash)) continue;
      if (!this.#segments.find(open.segment, hash, found)) open.missedLookups += 1;
    }
    if (found.length === 0) this.#absent[hash & (absentKept - 1)] = hash;
    return found;
  }

  /** Makes the filters that are worth it by now. */
  async makeFilters(): Promise<void> {
    if (!this.#open.some(wantsFilter)) return;
    this.#filtering ??= this.#makeFilters().finally(() => {
      this.#filtering = undefined;
    });
    await this.#filtering;
  }

  /** Whether `settle` has something to write while the journal is in use. */
  get isFull(): boolean {
    const { isReadOnly, sizes } = this.#options;
    return !isReadOnly && this.#recent.size >= sizes.memoryMaximum;
  }

  /**
   * Makes a segment of what is in memory, and one of several. Nothing is lost where it fails, or another process does
   * the same.
   * @throws Failure('unreadable-path') where the file fails.
   */
  async settle(): Promise<void> {
    if (!this.#isLoaded) return;
    const { unwrittenMaximum, unwrittenAnswers } = this.#options.sizes;
    const isMuch =
      this.#recent.size > unwrittenMaximum || this.#through - this.#writtenThrough > unwrittenAnswers;
    if (this.#recent.size > 0 && isMuch) await this.#writeRecent();
    for (let alike = this.#segmentsAlike(); alike !== undefined; alike = this.#segmentsAlike()) {
      if ((await this.#segments.merge(alike)) === undefined) return;
      // Only then may those that it replaced go.
      this.#read(() => this.#openSegments());
      await this.#segments.removeIncomplete();
    }
  }

  async #writeRecent(): Promise<void> {
    const [table, through] = [this.#recent, this.#through];
    this.#written = { table, through };
    this.#recent = new HashTable();
    const pairs = table.pairs();
    let id: number | undefined;
    try {
      id = await this.#segments.writePairs(pairs, through);
    } finally {
      if (id !== undefined) this.#read(() => this.#openSegments());
      else for (let at = 0; at < pairs.length; at += 2) this.#recent.add(pairs[at] ?? 0, pairs[at + 1] ?? 0);
      this.#written = undefined;
    }
  }

  async #loadAll(): Promise<void> {
    this.#read(() => this.#openSegments());
    while (this.#read(() => this.#takeSlice())) {
      if (this.isFull) await this.#writeRecent();
      await nextTurn();
    }
    this.#isLoaded = true;
  }

  #openSegments(): void {
    const known = new Map(this.#open.map((open) => [open.segment.id, open]));
    this.#open = this.#segments
      .list()
      .map((segment) => known.get(segment.id) ?? { segment, filter: undefined, missedLookups: 0 });
    this.#writtenThrough = Math.max(0, ...this.#open.map(({ segment }) => segment.through));
    if (this.#writtenThrough <= this.#through) return;
    this.#through = this.#writtenThrough;
    this.#absent.fill(0);
  }

  /** False where there was no more. */
  #takeSlice(): boolean {
    const answers = this.#answers.after(this.#through, anyState, answersPerTurn);
    for (const answer of answers) {
      this.#options.hashesOf(answer, (hash) => this.add(hash, answer.id));
      this.#through = answer.id;
    }
    return answers.length === answersPerTurn;
  }

  async #makeFilters(): Promise<void> {
    for (const open of this.#open.filter(wantsFilter)) {
      const filter = new HashFilter(open.segment.size);
      await this.#segments.forEach(open.segment, (hash) => filter.add(hash));
      open.filter = filter;
    }
  }

  /** Segments of one order of magnitude, where there are enough of them to be merged. */
  #segmentsAlike(): readonly Segment[] | undefined {
    const { mergedAtOnce, unwrittenMaximum } = this.#options.sizes;
    const byOrder = new Map<number, Segment[]>();
    for (const { segment } of this.#open) {
      const order = Math.floor(Math.log(segment.size / unwrittenMaximum) / Math.log(mergedAtOnce));
      const alike = byOrder.get(order) ?? [];
      byOrder.set(order, alike);
      if (alike.push(segment) === mergedAtOnce) return alike;
    }
    return undefined;
  }
}

/** Once an eighth of its buckets was read without a hit: reading them all costs no more than the next misses. */
function wantsFilter({ segment, filter, missedLookups }: OpenSegment): boolean {
  return filter === undefined && missedLookups > missedMinimum && 8 * missedLookups > 2 ** segment.bits;
}
