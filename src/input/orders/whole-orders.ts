import type { KeptRecords } from '../checks/read.ts';
import type { InputFiles } from '../open/open.ts';
import type { Problem } from '../records/problem.ts';
import { ProblemList } from '../records/problem-list.ts';
import type { Entry, Identified, RecordKind } from '../records/record-kinds.ts';
import { gatherOrders } from './gather-orders.ts';
import { OrderAgreement } from './order-agreement.ts';
import { OrderExtents, rowsHeldMaximum } from './order-extents.ts';

/**
 * Looks, while an input is read for the first time, whether orders can be made whole of its rows. The good rows among those that
 * do not go together stay good: which are right, and so which to leave out, nobody can tell but a person, so that without one
 * the whole order is rejected when its turn comes.
 */
export class WholeOrders<T extends Identified> {
  readonly extents: OrderExtents;
  readonly #kind: RecordKind<T>;
  readonly #agreement: OrderAgreement;
  readonly #problems = new ProblemList();

  /** Of the records of a kind that each belong to an order; undefined for any other kind. */
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
   * What is wrong with the orders of all rows taken. Where rows of one order are apart, they are read once more from where they are
   * kept.
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
    reason: `the rows of single orders are too far apart: ${held} rows would have to wait for others of their order, and at most ${rowsHeldMaximum} can`,
    remedy: 'sort the file by order',
  };
}
