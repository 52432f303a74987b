import { type Answer, type FoundRecord, isRecordAt, positionIn } from '../../journal/packed/answer.ts';
import { ordersOf } from '../../journal/packed/answer-items.ts';
import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';
import { hashId, type IdHash } from '../../journal/packed/id-hash.ts';
import type { JournaledKind } from '../../journal/push-journal.ts';
import type { FileAccess } from './access.ts';
import { AnswerIndex, type IndexSizes, indexSizes } from './answer-index.ts';
import { Answers } from './answers.ts';
import type { LogOptions } from './trim-log.ts';

/** What tests set otherwise: other hashes do not fit a file of before. */
export interface RecordsOptions {
  readonly hash?: IdHash;
  readonly sizes?: IndexSizes;
  /** Where nothing is to be written, the index neither. */
  readonly isReadOnly?: boolean;
  readonly log?: LogOptions;
  /** How commits reach the disk. */
  readonly sync?: () => Promise<void>;
}

/**
 * The records of all requests that have ended, by their ids. At most one entry of an id has a fate at any time: that of
 * the request that ended last. What it finds is current within a transaction that began with `sync`.
 */
export class Records {
  readonly answers: Answers;
  /** By kind and originId. */
  readonly index: AnswerIndex;
  /** Items by their orders; no part of it is made before it is asked for. */
  readonly itemIndex: AnswerIndex;
  readonly hash: IdHash;
  readonly #selectVersion;
  #version: unknown;
  #isStale = false;
  /**
   * The place behind the record that was found last: as a rule, records are looked for in the order in which they were
   * sent.
   */
  #next: { readonly answer: number; readonly position: number } | undefined;

  constructor(access: FileAccess, { hash = hashId, sizes = indexSizes, isReadOnly = false }: RecordsOptions) {
    this.hash = hash;
    this.answers = new Answers(access.database);
    this.index = new AnswerIndex(access, this.answers, {
      number: 1,
      hashesOf: ({ entries, fates }, add) => {
        for (let position = 0; position < entries.count; position += 1) {
          if (fates.stateAt(position) === stateCodes.none) continue;
          add(hash(entries.kindCodeAt(position), entries.originIdAt(position)));
        }
      },
      sizes,
      isReadOnly,
    });
    this.itemIndex = new AnswerIndex(access, this.answers, {
      number: 2,
      hashesOf: (answer, add) => {
        for (const order of ordersOf(answer)) add(this.hashOfOrder(order));
      },
      sizes,
      isReadOnly,
    });
    this.#selectVersion = access.database.prepare('PRAGMA data_version');
  }

  hashOfOrder(orderOriginId: string): number {
    return this.hash(kindCodes.order, orderOriginId);
  }

  /** Before the first transaction. */
  async load(): Promise<void> {
    await this.index.load();
    await this.index.makeFilters();
  }

  /** Whether `settle` has something to write while the journal is in use. */
  get isFull(): boolean {
    return this.index.isFull || this.itemIndex.isFull;
  }

  /** @throws Failure as `AnswerIndex.settle`. */
  async settle(): Promise<void> {
    await this.index.settle();
    await this.itemIndex.settle();
  }

  /** At the start of each transaction: takes in what other processes wrote. Before that, `load` has to have ended. */
  sync(): void {
    const {
      data_version: version,
    }: {
      readonly data_version: unknown;
    } = this.#selectVersion.get();
    if (version === this.#version && !this.#isStale) return;
    this.answers.forget();
    for (const index of [this.index, this.itemIndex]) if (index.isLoaded) index.refresh();
    this.#version = version;
    this.#isStale = false;
  }

  /** After a transaction was rolled back. */
  rollBack(): void {
    this.index.forget();
    this.itemIndex.forget();
    this.#isStale = true;
  }

  /** The entry that decides what is known of a record. */
  find(kind: JournaledKind, originId: string): FoundRecord | undefined {
    const code = kindCodes[kind];
    return this.#findNext(code, originId) ?? this.#findAnywhere(code, originId);
  }

  #findNext(code: number, originId: string): FoundRecord | undefined {
    if (this.#next === undefined) return undefined;
    const { answer: id, position } = this.#next;
    const answer = this.answers.get(id);
    // Not asked for again: there may be no such answer.
    if (answer === undefined) this.#next = undefined;
    if (answer === undefined || !isRecordAt(answer, position, code, originId)) return undefined;
    return this.#found(answer, position);
  }

  #findAnywhere(code: number, originId: string): FoundRecord | undefined {
    for (const id of this.index.find(this.hash(code, originId))) {
      const answer = this.answers.get(id);
      const position = answer === undefined ? -1 : positionIn(answer, code, originId);
      if (answer !== undefined && position >= 0) return this.#found(answer, position);
    }
    return undefined;
  }

  #found(answer: Answer, position: number): FoundRecord {
    const isLast = position + 1 === answer.entries.count;
    this.#next = isLast
      ? { answer: answer.id + 1, position: 0 }
      : { answer: answer.id, position: position + 1 };
    return { answer, position };
  }
}
