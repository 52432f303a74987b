import { needsNoEscapes } from '../../base/json.ts';
import { textHash } from '../../base/text-hash.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { OrderItemRecord } from '../../input/records/record-kinds.ts';
import type { Compiler } from './compiler.ts';
import { sentHash } from './content-hash.ts';
import { orderFieldsOf } from './order-fields.ts';
import { orderItemEntry } from './order-item-entry.ts';
import type { SendableRecord } from './sendable-record.ts';

/**
 * An order item ready to be sent. Its text is its entry of the bulk creation (API 4.14); where orders are made whole
 * (assumption `createOrders`), the whole record.
 */
export class CompiledItem implements SendableRecord {
  readonly file: string;
  readonly line: number;
  readonly originId: string;
  readonly orderOriginId: string;
  readonly productOriginId: string;
  readonly contentHash: string;
  readonly #text: string;

  /** `text` is empty where the record has nothing but its ids, and those need no escapes in JSON. */
  constructor(
    { file, line }: Pick<SendableRecord, 'file' | 'line'>,
    [originId, orderOriginId, productOriginId]: ItemIds,
    hash: string,
    text: string,
  ) {
    this.file = file;
    this.line = line;
    this.originId = originId;
    this.orderOriginId = orderOriginId;
    this.productOriginId = productOriginId;
    this.contentHash = hash;
    this.#text = text;
  }

  get text(): string {
    return this.#text === '' ? textOfIds(this) : this.#text;
  }

  /** As a plan keeps it. */
  toJSON(): SendableRecord {
    const { file, line, originId, orderOriginId, productOriginId, contentHash: hash, text } = this;
    return { file, line, originId, orderOriginId, productOriginId, contentHash: hash, text };
  }
}

type ItemIds = readonly [originId: string, orderOriginId: string, productOriginId: string];

/**
 * How order items wait to be sent to a service that these assumptions hold of: their ids, and what there is of them
 * beyond those.
 */
export function orderItemCompiler(assumptions: Assumptions): Compiler<OrderItemRecord, CompiledItem> {
  const isWhole = assumptions.createOrders !== undefined;
  const isPlain = !isWhole && assumptions.bulkExtraFields !== 'taken';
  const itemOf = isWhole ? wholeItem : bulkItem;
  return {
    columnsOf: (entries) => {
      const originIds = entries.map(({ record }) => record.originId);
      const orderOriginIds = entries.map(({ record }) => record.orderOriginId);
      const productOriginIds = entries.map(({ record }) => record.productOriginId);
      const ids = [originIds, orderOriginIds, productOriginIds] as const;
      if (isPlain && ids.every((texts) => needsNoEscapes(texts.join('')))) return idColumns(ids);
      const items = entries.map(({ record }) => itemOf(record, assumptions));
      const hashes = items.map(({ hash }) => hash);
      return [...ids, hashes, items.map(({ text }) => text)];
    },
    recordsOf: ({ file, lines, columns }) => {
      const [originIds = [], orderOriginIds = [], productOriginIds = [], hashes = [], texts] = columns;
      return lines.map((line, index) => {
        const ids = [
          originIds[index] ?? '',
          orderOriginIds[index] ?? '',
          productOriginIds[index] ?? '',
        ] as const;
        return new CompiledItem({ file, line }, ids, hashes[index] ?? '', texts?.[index] ?? '');
      });
    },
  };
}

type Ids = readonly [
  originIds: readonly string[],
  ofOrders: readonly string[],
  ofProducts: readonly string[],
];

/** The columns of items of which the ids are all there is. */
function idColumns(ids: Ids): readonly (readonly string[])[] {
  const [originIds, ofOrders, ofProducts] = ids;
  return [...ids, originIds.map((_, index) => hashOfIds(ofOrders[index] ?? '', ofProducts[index] ?? ''))];
}

interface ItemText {
  readonly text: string;
  readonly hash: string;
}

function bulkItem(record: OrderItemRecord, assumptions: Assumptions): ItemText {
  const entry = orderItemEntry(record, assumptions);
  const text = JSON.stringify(entry);
  const isOfIds = Object.keys(entry).length === idCount;
  return { text, hash: isOfIds ? hashOfIds(record.orderOriginId, record.productOriginId) : sentHash(text) };
}

/** All that a row says of an item and its order. The hash is of what is sent of it. */
function wholeItem(record: OrderItemRecord, assumptions: Assumptions): ItemText {
  const ofOrder = JSON.stringify(fieldsOfOrder(record));
  const sent = JSON.stringify(orderItemEntry(record, assumptions));
  return { text: JSON.stringify(record), hash: sentHash(sent + ofOrder, ofOrder) };
}

const idCount = 3;

/** Of all but the id by which a record is known. */
function hashOfIds(orderOriginId: string, productOriginId: string): string {
  return textHash(orderOriginId, productOriginId);
}

/** In the order of the document (API 4.14); the ids are known to need no escapes. */
function textOfIds({ originId, orderOriginId, productOriginId }: CompiledItem): string {
  return `{"orderOriginId":"${orderOriginId}","originId":"${originId}","productOriginId":"${productOriginId}"}`;
}

function fieldsOfOrder(record: OrderItemRecord) {
  return { orderOriginId: record.orderOriginId, ...orderFieldsOf([record]) };
}
