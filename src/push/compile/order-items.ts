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
export interface CompiledItem extends SendableRecord {
  readonly orderOriginId: string;
  readonly productOriginId: string;
}

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
      if (isPlain && ids.every((texts) => needsNoEscapes(texts.join(''))))
        return [...ids, entries.map(({ record }) => hashOfIds(record))];
      const items = entries.map(({ record }) => itemOf(record, assumptions));
      const hashes = items.map(({ hash }) => hash);
      return [...ids, hashes, items.map(({ text }) => text)];
    },
    recordsOf: ({ file, lines, columns }) => {
      const [originIds = [], orderOriginIds = [], productOriginIds = [], hashes = [], texts] = columns;
      return lines.map((line, index) => {
        const originId = originIds[index] ?? '';
        const orderOriginId = orderOriginIds[index] ?? '';
        const productOriginId = productOriginIds[index] ?? '';
        const text = texts?.[index] ?? textOfIds(originId, orderOriginId, productOriginId);
        const contentHash = hashes[index] ?? '';
        return { file, line, originId, orderOriginId, productOriginId, contentHash, text };
      });
    },
  };
}

interface ItemText {
  readonly text: string;
  readonly hash: string;
}

function bulkItem(record: OrderItemRecord, assumptions: Assumptions): ItemText {
  const entry = orderItemEntry(record, assumptions);
  const text = JSON.stringify(entry);
  const isOfIds = Object.keys(entry).length === idCount;
  return { text, hash: isOfIds ? hashOfIds(record) : sentHash(text) };
}

/** All that a row says of an item and its order. The hash is of what is sent of it. */
function wholeItem(record: OrderItemRecord, assumptions: Assumptions): ItemText {
  const ofOrder = JSON.stringify(fieldsOfOrder(record));
  const sent = JSON.stringify(orderItemEntry(record, assumptions));
  return { text: JSON.stringify(record), hash: sentHash(sent + ofOrder, ofOrder) };
}

const idCount = 3;

/** Of all but the id by which a record is known. */
function hashOfIds({ orderOriginId, productOriginId }: OrderItemRecord): string {
  return textHash(orderOriginId, productOriginId);
}

/** In the order of the document (API 4.14); the ids are known to need no escapes. */
function textOfIds(originId: string, orderOriginId: string, productOriginId: string): string {
  return `{"orderOriginId":"${orderOriginId}","originId":"${originId}","productOriginId":"${productOriginId}"}`;
}

function fieldsOfOrder(record: OrderItemRecord) {
  return { orderOriginId: record.orderOriginId, ...orderFieldsOf([record]) };
}
