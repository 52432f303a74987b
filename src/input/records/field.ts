import type { Refusal } from './refusal.ts';

/** How the cells of a field are read; see `cells/`. Phones, carriers and tracking numbers obey the rules of ids, too. */
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

/** One field a record may have. `path` is the document's name, dotted where the document nests. */
export interface Field {
  readonly path: string;
  readonly type: FieldType;
  readonly isRequired?: boolean;
  readonly isNullable?: boolean;
  /** Whether it names a product, by the one key its shop goes by. */
  readonly isProductKey?: boolean;
  /** Whether it is the id that the service gave: a column is it by its exact name, beside one of the exact name `originId`, as lists print both. */
  readonly isServiceId?: boolean;
  /** A value of the whole order, repeated on its item rows, or blank on rows that continue the order above. */
  readonly isOfOrder?: boolean;
}

/** Why the value of a field cannot stand beside those of other records, good as it is by itself. */
export interface RecordConflict {
  readonly path: string;
  readonly refusal: Refusal;
}
