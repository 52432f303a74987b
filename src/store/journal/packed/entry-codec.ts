import type { JournalEntry, JournaledKind } from '../push-journal.ts';
import { kindCodes, kindOf } from './enum-codes.ts';
import { ColumnReader, ColumnWriter, type StringColumn } from './string-columns.ts';

const writer = new ColumnWriter();

/** The entries of one request of `kind` as the journal keeps them. */
export function packEntries(kind: JournaledKind, entries: readonly JournalEntry[]): Uint8Array {
  const count = entries.length;
  const kinds = new Uint8Array(count);
  const originIds = new Array<string>(count);
  const contentHashes = new Array<string>(count);
  const products = new Array<string | undefined>(count);
  const orders = new Array<string | undefined>(count);
  const ofRequest = kindCodes[kind];
  let position = 0;
  for (const entry of entries) {
    kinds[position] = entry.kind === undefined ? ofRequest : kindCodes[entry.kind];
    originIds[position] = entry.originId;
    contentHashes[position] = entry.contentHash;
    products[position] = entry.productOriginId;
    orders[position] = entry.orderOriginId;
    position += 1;
  }
  writer.writeNumber(count);
  writer.writeBytes(kinds);
  writer.writeJoined(originIds);
  writer.writeBeginnings(orders, originIds);
  writer.writeJoined(contentHashes);
  writer.writeJoined(products);
  return writer.take();
}

/** The entries of one request, unpacked as far as they are asked for. */
export class PackedEntries {
  readonly count: number;
  readonly #kinds: Uint8Array;
  readonly #originIds: StringColumn;
  readonly #contentHashes: StringColumn;
  readonly #products: StringColumn;
  readonly #orders: StringColumn;

  constructor(blob: Uint8Array) {
    const reader = new ColumnReader(blob);
    this.count = reader.readNumber();
    this.#kinds = reader.readBytes(this.count);
    this.#originIds = reader.readColumn(this.count);
    this.#orders = reader.readColumn(this.count);
    this.#contentHashes = reader.readColumn(this.count);
    this.#products = reader.readColumn(this.count);
  }

  kindCodeAt(position: number): number {
    return this.#kinds[position] ?? 0;
  }

  kindAt(position: number): JournaledKind {
    return kindOf(this.kindCodeAt(position));
  }

  originIdAt(position: number): string {
    return this.#originIds.at(position) ?? '';
  }

  contentHashAt(position: number): string {
    return this.#contentHashes.at(position) ?? '';
  }

  productAt(position: number): string | undefined {
    return this.#products.at(position);
  }

  orderAt(position: number): string | undefined {
    return this.#orders.at(position);
  }

  isAt(position: number, kindCode: number, originId: string): boolean {
    return this.#kinds[position] === kindCode && this.#originIds.isAt(position, originId);
  }

  isOfOrder(position: number, orderOriginId: string): boolean {
    return this.#orders.isAt(position, orderOriginId);
  }

  /** As it was sent by a request of `kind`. */
  entryAt(position: number, kind: JournaledKind): JournalEntry {
    const [own, productOriginId, orderOriginId] = [
      this.kindAt(position),
      this.productAt(position),
      this.orderAt(position),
    ];
    return {
      originId: this.originIdAt(position),
      contentHash: this.contentHashAt(position),
      ...(own === kind ? {} : { kind: own }),
      ...(productOriginId === undefined ? {} : { productOriginId }),
      ...(orderOriginId === undefined ? {} : { orderOriginId }),
    };
  }
}
