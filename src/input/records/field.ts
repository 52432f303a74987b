import type { Refusal } from './cell.ts';

/**
 * How the cells of a field are parsed; see `cells/`. Phones, carriers and tracking numbers follow the rules of ids,
 * too.
 */
export type FieldType =
  | 'id'
  | 'text'
  | 'memberId'
  | 'phone'
  | 'email'
  | 'carrier'
  | 'trackingNumber'
  | 'imageUrl'
  | 'money'
  | 'dateTime'
  | 'boolean'
  | 'integer'
  | 'status'
  | 'categories'
  | 'selectedOptions';

/** A field of a record. `path` is the document's name, dotted if the field is nested. */
export interface Field {
  readonly path: string;
  readonly type: FieldType;
  readonly isRequired?: boolean;
  readonly isNullable?: boolean;
  /** Whether it identifies a product, by the product key of the shop. */
  readonly isProductKey?: boolean;
  /**
   * Whether it is the service's id: only a column with exactly its name, beside one named `originId`, is its source.
   */
  readonly isServiceId?: boolean;
  /** Whether it belongs to the order: repeated on its item rows, or blank on rows that continue the order above. */
  readonly isOfOrder?: boolean;
}

/** Why the valid value of a field conflicts with other records. */
export interface RecordConflict {
  readonly path: string;
  readonly refusal: Refusal;
}
