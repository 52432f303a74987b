import type { Assumptions } from '../../contract/assumptions.ts';
import type { OrderItemRecord } from '../../input/record-kinds.ts';
import { contentHash, sentHash } from '../content-hash.ts';
import { orderFieldsOf } from '../order-fields.ts';
import { orderItemEntry } from '../order-item-entry.ts';
import type { SendableRecord } from '../send-journaled.ts';
import type { Compiler } from './compiler.ts';

/**
 * An order item ready to be sent. Its text is its entry of the bulk creation (API 4.14); where orders are made whole (assumption
 * `createOrders`), the whole record.
 */
export interface CompiledItem extends SendableRecord {
  readonly orderOriginId: string;
  readonly productOriginId: string;
}

/** How order items wait to be sent to a service that these assumptions hold of. */
export function orderItemCompiler(assumptions: Assumptions): Compiler<OrderItemRecord, CompiledItem> {
  const isWhole = assumptions.createOrders !== undefined;
  const sentText = (record: OrderItemRecord) => JSON.stringify(orderItemEntry(record, assumptions));
  return {
    columnsOf: (entries) => {
      const sent = entries.map(({ record }) => sentText(record));
      const hashes = isWhole
        ? entries.map(({ record }, index) => wholeHash(sent[index] ?? '', record))
        : sent.map((text) => sentHash(text));
      const texts = isWhole ? entries.map(({ record }) => JSON.stringify(record)) : sent;
      return [
        entries.map(({ record }) => record.originId),
        entries.map(({ record }) => record.orderOriginId),
        entries.map(({ record }) => record.productOriginId),
        texts,
        hashes,
      ];
    },
    recordsOf: ({ file, lines, columns }) => {
      const [originIds = [], orderOriginIds = [], productOriginIds = [], texts = [], hashes = []] = columns;
      return lines.map((line, index) => ({
        file,
        line,
        originId: originIds[index] ?? '',
        contentHash: hashes[index] ?? '',
        productOriginId: productOriginIds[index] ?? '',
        orderOriginId: orderOriginIds[index] ?? '',
        text: texts[index] ?? '',
      }));
    },
    entriesOf: ({ file, lines, columns: { 3: texts = [] } }) =>
      lines.map((line, index) => ({ file, line, record: JSON.parse(texts[index] ?? '') })),
  };
}

/** The hash of an item that goes out with its order. */
function wholeHash(sent: string, record: OrderItemRecord): string {
  const ofOrder = JSON.stringify(fieldsOfOrder(record));
  return sentHash(sent + ofOrder, ofOrder);
}

/** The hash of an item as journals of older versions have it. */
export function olderItemHash({ text }: CompiledItem, assumptions: Assumptions): string {
  const record: OrderItemRecord = JSON.parse(text);
  return assumptions.createOrders === undefined
    ? contentHash(record)
    : contentHash(orderItemEntry(record, assumptions), fieldsOfOrder(record));
}

function fieldsOfOrder(record: OrderItemRecord) {
  return { orderOriginId: record.orderOriginId, ...orderFieldsOf([record]) };
}
