import { needsNoEscapes } from '../../base/json.ts';
import { textHash } from '../../base/text-hash.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { OrderItemRecord } from '../../input/records/record-kinds.ts';
import type { Compiler } from './compiler.ts';
import { contentHash } from './content-hash.ts';
import { orderItemEntry } from './order-item-entry.ts';
import type { SendableRecord } from './sendable-record.ts';

/**
 * An order item ready to send. Its text is its entry of the bulk creation (API 4.14), or the whole record if orders are
 * created whole (assumption `createOrders`).
 */
export interface CompiledItem extends SendableRecord {
  readonly orderOriginId: string;
  readonly productOriginId: string;
}

/** Compiles order items for a service with these assumptions: their ids, and their other content if any. */
export function orderItemCompiler(assumptions: Assumptions): Compiler<OrderItemRecord, CompiledItem> {
  const isWhole = assumptions.createOrders !== undefined;
  const isPlain = !isWhole && assumptions.bulkExtraFields !== 'taken';
  return {
    columnsOf: (entries) => {
      const originIds = entries.map(({ record }) => record.originId);
      const orderOriginIds = entries.map(({ record }) => record.orderOriginId);
      const productOriginIds = entries.map(({ record }) => record.productOriginId);
      const ids = [originIds, orderOriginIds, productOriginIds] as const;
      if (isPlain && ids.every((texts) => needsNoEscapes(texts.join(''))))
        return [...ids, entries.map(({ record }) => hashOfIds(record))];
      const sent = entries.map(({ record }) => orderItemEntry(record, assumptions));
      const texts = entries.map(({ record }, index) => JSON.stringify(isWhole ? record : sent[index]));
      return [...ids, sent.map(hashOfEntry), texts];
    },
    recordsOf: ({ file, lines, columns }) => {
      const [originIds = [], orderOriginIds = [], productOriginIds = [], hashes = [], texts] = columns;
      return lines.map((line, index) => {
        const originId = originIds[index] ?? '';
        const orderOriginId = orderOriginIds[index] ?? '';
        const productOriginId = productOriginIds[index] ?? '';
        const contentHash = hashes[index] ?? '';
        const item = { file, line, originId, orderOriginId, productOriginId, contentHash };
        return texts === undefined ? item : { ...item, text: texts[index] ?? '' };
      });
    },
  };
}

const idCount = 3;

/** The hash of the sent content of an item, which does not include the owner of its order. */
export function hashOfEntry(entry: ReturnType<typeof orderItemEntry>): string {
  return Object.keys(entry).length === idCount ? hashOfIds(entry) : contentHash(entry);
}

/** The hash of all ids except the key of the record. */
function hashOfIds({
  orderOriginId,
  productOriginId,
}: Pick<OrderItemRecord, 'orderOriginId' | 'productOriginId'>): string {
  return textHash(orderOriginId, productOriginId);
}
