import type * as z from 'zod';
import type { OperationName, Operations } from '../../contract/operations.ts';
import type { Outcome } from '../state/outcome.ts';
import type { Visit } from '../state/request-context.ts';

/** An entry of a bulk request that is no valid entry (assumption `bulkBadEntry`, fail-job). */
export interface BadEntry {
  readonly index: number;
  readonly originId: string | null;
  readonly reason: string;
}

/** A request as a handler reads it: decoded by the schemas of its row, defaults applied. */
export interface Call<P extends string, Q, B> {
  readonly parameters: Readonly<Record<P, string>>;
  readonly query: Q;
  readonly body: B;
  /** The bad entries left out of `body`, in order; empty unless the body is an array. */
  readonly badEntries: readonly BadEntry[];
}

/** What a table row says of a route: the part of an operation the router needs. */
export interface Row {
  readonly method: string;
  readonly path: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly extraBody?: z.ZodType;
}

type ParametersOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersOf<Rest>
  : never;
/** What a handler may find in the body: the extra fields too, where the row knows any (assumption `bulkExtraFields`). */
type BodyOutput<R> = R extends { readonly extraBody: z.ZodType } ? Output<R, 'extraBody'> : Output<R, 'body'>;
type Output<R, K extends string> = R extends { readonly [key in K]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** Carries out one kind of request: checks everything first, then writes, so that a refused request has no effect. */
export type Handler<R extends Row> = (
  visit: Visit,
  call: Call<ParametersOf<R['path']>, Output<R, 'query'>, BodyOutput<R>>,
) => Outcome;

export type Handlers<Table extends Readonly<Record<string, Row>>> = {
  readonly [Name in keyof Table]: Handler<Table[Name]>;
};

/** The handlers of some operations of the contract. */
export type OperationHandlers<Names extends OperationName> = Handlers<Pick<Operations, Names>>;
