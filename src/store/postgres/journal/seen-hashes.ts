import { HashFilter } from '../../journal/packed/hash-filter.ts';
import type { JournaledKind } from '../../journal/push-journal.ts';

/** More than are on their way from their lookup to their answer. */
const absentKept = 2 ** 15;
/** Of so many hashes, the filter takes hardly one for another: each such mistake is a question to the server. */
const filterSize = 2 ** 22;

/**
 * What this process need not ask the server, since nobody else sends its records meanwhile: the caller holds the lock
 * of a kind from the time at which that is recovered.
 */
export class SeenHashes {
  /** Of what was looked up and not there; it is about to be sent. Of what was looked up before that, in the other set. */
  #absent = new Set<number>();
  #absentBefore = new Set<number>();
  /** Kinds of which there was nothing when they were recovered: what is there since is in the filter. */
  readonly #startedEmpty = new Set<JournaledKind>();
  #filter: HashFilter | undefined;

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
    if (this.#absent.size >= absentKept) {
      this.#absentBefore = this.#absent;
      this.#absent = new Set();
    }
    this.#absent.add(hash);
  }

  areAbsent(hashes: Iterable<number>): boolean {
    for (const hash of hashes) if (!this.#absent.has(hash) && !this.#absentBefore.has(hash)) return false;
    return true;
  }

  /** A record that this process puts on record. */
  add(hash: number): void {
    this.#absent.delete(hash);
    this.#absentBefore.delete(hash);
    this.#filter?.add(hash);
  }
}
