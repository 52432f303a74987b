import type * as z from 'zod';
import type { OperationName, Operations } from '../../contract/operations.ts';
import type { RequestOutcome } from '../state/outcome.ts';
import type { RequestContext } from '../state/request-context.ts';

/** An invalid entry of a bulk request (assumption `bulkBadEntry`, fail-job). */
export interface BadEntry {
  readonly index: number;
  readonly originId: string | null;
  readonly reason: string;
}

/** A request as a handler receives it: decoded with the schemas of its row, defaults applied. */
export interface HandlerCall<P extends string, Q, B> {
  readonly parameters: Readonly<Record<P, string>>;
  readonly query: Q;
  readonly body: B;
  /** Bad entries omitted from `body`, in order; empty unless the body is an array. */
  readonly badEntries: readonly BadEntry[];
}

/** The part of an operation that the router needs. */
export interface RouteRow {
  readonly method: string;
  readonly path: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly extraBody?: z.ZodType;
}

type ParametersOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersOf<Rest>
  : never;
/** The body of a row, including its extra fields if it has any (assumption `bulkExtraFields`). */
type BodyOutput<R> = R extends { readonly extraBody: z.ZodType } ? Output<R, 'extraBody'> : Output<R, 'body'>;
type Output<R, K extends string> = R extends { readonly [key in K]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** Handles one kind of request. It checks everything before it writes, so a refused request has no effect. */
type Handler<R extends RouteRow> = (
  context: RequestContext,
  call: HandlerCall<ParametersOf<R['path']>, Output<R, 'query'>, BodyOutput<R>>,
) => RequestOutcome;

export type Handlers<Table extends Readonly<Record<string, RouteRow>>> = {
  readonly [Name in keyof Table]: Handler<Table[Name]>;
};

/** Handlers of the named operations of the contract. */
export type OperationHandlers<Names extends OperationName> = Handlers<Pick<Operations, Names>>;
