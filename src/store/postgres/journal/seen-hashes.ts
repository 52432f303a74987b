import { HashFilter } from '../../journal/packed/hash-filter.ts';
import type { JournaledKind } from '../../journal/push-journal.ts';

/** More than are on their way from their lookup to their answer. */
const absentKept = 2 ** 15;
/** Of so many hashes, the filter takes hardly one for another: each such mistake is a question to the server. */
const filterSize = 2 ** 22;

/**
 * What this process need not ask the server, since nobody else sends its records meanwhile: the caller holds the lock
 * under which it sends, from the time at which a kind is recovered.
 */
export class SeenHashes {
  /** Kinds of which there was nothing when they were recovered. */
  readonly #startedEmpty = new Set<JournaledKind>();
  /** Of all that was put on record since there was nothing; then there is no need to remember what is absent. */
  #filter: HashFilter | undefined;
  /** Of what was looked up and not there; it is about to be sent. Of what was looked up before, in the other set. */
  #absent = new Set<number>();
  #absentBefore = new Set<number>();

  /** After a kind was recovered, of which nothing is on record. */
  startEmpty(kind: JournaledKind): void {
    this.#filter ??= new HashFilter(filterSize);
    this.#startedEmpty.add(kind);
  }

  /** Whether a record may be on record, by what is known here. */
  mayBeThere(kind: JournaledKind, hash: number): boolean {
    return !this.#startedEmpty.has(kind) || this.#filter?.mayHave(hash) !== false;
  }

  /** A record that was looked up and is not there. */
  addAbsent(hash: number): void {
    if (this.#filter !== undefined) return;
    if (this.#absent.size >= absentKept) {
      this.#absentBefore = this.#absent;
      this.#absent = new Set();
    }
    this.#absent.add(hash);
  }

  /** Whether a record that this process has sent was not on record before. */
  isAbsent(hash: number): boolean {
    if (this.#filter !== undefined) return !this.#filter.mayHave(hash);
    return this.#absent.has(hash) || this.#absentBefore.has(hash);
  }

  /** A record that this process puts on record. */
  add(hash: number): void {
    this.#filter?.add(hash);
    if (!this.#absent.delete(hash)) this.#absentBefore.delete(hash);
  }
}
