import type { KeptRecords } from '../checks/read.ts';
import type { InputFiles } from '../open/open.ts';
import type { Problem } from '../records/problem.ts';
import { ProblemList } from '../records/problem-list.ts';
import type { Entry, Identified, RecordKind } from '../records/record-kinds.ts';
import { gatherOrders } from './gather-orders.ts';
import { OrderAgreement } from './order-agreement.ts';
import { OrderExtents, rowsHeldMaximum } from './order-extents.ts';

/**
 * Checks during the first pass over an input whether whole orders can be made of its rows. Valid rows of an
 * inconsistent order stay valid: only a person can decide which of them are right, so the push later rejects the whole
 * order.
 */
export class WholeOrders<T extends Identified> {
  readonly extents: OrderExtents;
  readonly #kind: RecordKind<T>;
  readonly #agreement: OrderAgreement;
  readonly #problems = new ProblemList();

  /** For kinds whose records belong to an order; undefined for any other kind. */
  static of<T extends Identified>(kind: RecordKind<T>): WholeOrders<T> | undefined {
    const key = kind.fields.find(({ isOfOrder, isRequired }) => isOfOrder && isRequired);
    return key && new WholeOrders(kind, key.path);
  }

  private constructor(kind: RecordKind<T>, key: string) {
    this.#kind = kind;
    this.extents = new OrderExtents(key);
    this.#agreement = new OrderAgreement(key, kind.fields);
  }

  take(entry: Entry<T>): void {
    const order = this.extents.orderOf(entry.record);
    this.extents.take(order);
    this.#problems.add(this.#agreement.take(entry, order));
  }

  /**
   * The problems of all orders. If the rows of an order are not consecutive, the kept rows are read once more.
   */
  async problems(input: InputFiles, kept: KeptRecords<T>): Promise<ProblemList> {
    const { extents } = this;
    if (!extents.isScattered) return this.#problems;
    const problems = new ProblemList();
    const held = extents.mostHeld();
    if (held > rowsHeldMaximum) {
      problems.add(input.files.slice(0, 1).map(({ shownAs }) => tooScattered(shownAs, held)));
      return problems;
    }
    const agreement = new OrderAgreement(extents.key, this.#kind.fields);
    const orderOf = ({ record }: Entry<T>) => extents.orderOf(record);
    for await (const batch of gatherOrders(kept.entries(), extents, orderOf)) {
      for (const entry of batch) problems.add(agreement.take(entry, orderOf(entry)));
    }
    return problems;
  }
}

function tooScattered(file: string, held: number): Problem {
  return {
    file,
    code: 'orders-scattered',
    reason:
      `the rows of single orders are too far apart: ${held} rows would have to wait for others of ` +
      `their order, and at most ${rowsHeldMaximum} can`,
    remedy: 'sort the file by order',
  };
}
