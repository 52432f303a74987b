/* The API document as plain data, independent of the project's own contract. */

/** The type of a resource's field. */
export type Shape =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'object'; readonly fields: readonly DocumentedField[] }
  | { readonly kind: 'list'; readonly element: Shape }
  | { readonly kind: 'resource'; readonly name: string };

export interface DocumentedField {
  readonly name: string;
  readonly shape: Shape;
}

/** A query parameter or a field of a request body. */
export interface DocumentedInput {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'time' | 'list' | 'object';
  readonly values: readonly string[];
  readonly default: string | undefined;
  readonly maximum: number | undefined;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
}

interface DocumentedBody {
  /** True if the body is an array of entries with these fields. */
  readonly isBulk: boolean;
  readonly entriesMaximum: number | undefined;
  readonly fields: readonly DocumentedInput[];
}

export interface DocumentedOperation {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly purpose: string;
  readonly query: readonly DocumentedInput[];
  readonly body: DocumentedBody | undefined;
  readonly reply: { readonly kind: 'one' | 'page' | 'array'; readonly resource: string };
}

export interface ApiDocument {
  readonly pathPrefix: string;
  readonly operations: readonly DocumentedOperation[];
  readonly resources: Readonly<Record<string, readonly DocumentedField[]>>;
  readonly envelope: readonly DocumentedField[];
  /** The enumerations of section 3 by name. */
  readonly states: Readonly<Record<string, readonly string[]>>;
  /** Values that section 2 names for fields such as `Review.uploadFrom`, without calling the set complete. */
  readonly observedValues: Readonly<Record<string, readonly string[]>>;
  /** The values of section 8, by the name of the limit. */
  readonly limits: Readonly<Record<string, number>>;
}

/** A reply as one shape: a record, an array of them, or a page with the envelope of all lists. */
export function shapeOfReply({ kind, resource }: DocumentedOperation['reply'], document: ApiDocument): Shape {
  const record: Shape = { kind: 'resource', name: resource };
  if (kind === 'one') return record;
  const list: Shape = { kind: 'list', element: record };
  if (kind === 'array') return list;
  const fields = document.envelope.map((field) =>
    field.name === 'data' ? { ...field, shape: list } : field,
  );
  return { kind: 'object', fields };
}
