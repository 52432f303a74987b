import type * as z from 'zod';
import type { CallInput } from '../../src/client/caller.ts';
import type { documentedOperations } from '../../src/contract/operations.ts';
// Generated from the output of `schema openapi` by openapi-typescript.
import type { operations as generated, paths } from './node_modules/openapi-types.ts';

/*
 * Compares the types of the contract with those generated from its OpenAPI document. Only `types.judge.ts` compiles it,
 * without exactOptionalPropertyTypes: on the wire, a missing field equals undefined.
 */

type Operations = typeof documentedOperations;
type Name = keyof Operations;

type FieldOf<T, Field extends string> = Field extends keyof T ? NonNullable<T[Field]> : never;
type JsonOf<T> = FieldOf<FieldOf<T, 'content'>, 'application/json'>;
type PartOf<T, Part extends string> = FieldOf<FieldOf<T, 'parameters'>, Part>;
type ReplyOf<T> = JsonOf<FieldOf<FieldOf<T, 'responses'>, '2XX'>>;

type Fits<A, B> = [A] extends [B] ? true : false;
/** Makes every field required, because an optional field fits a type that lacks it. */
type Filled<T> = T extends readonly (infer Element)[]
  ? readonly Filled<Element>[]
  : T extends object
    ? { [Field in keyof T]-?: Filled<NonNullable<T[Field]>> }
    : T;
type FitBoth<A, B> = [
  Fits<A, B>,
  Fits<B, A>,
  Fits<Filled<A>, Filled<B>>,
  Fits<Filled<B>, Filled<A>>,
] extends [true, true, true, true]
  ? true
  : false;
type Either<T> = [T] extends [never] ? undefined : T;

type BodyOf<N extends Name> = Operations[N] extends { readonly body: infer B extends z.ZodType }
  ? z.input<B>
  : undefined;
type QueryOf<N extends Name> = Operations[N] extends { readonly query: infer Q extends z.ZodType }
  ? Partial<z.output<Q>>
  : undefined;
type ParamsOf<N extends Name> = CallInput<Operations[N]>['params'];
type GeneratedBody<N extends Name> = Either<JsonOf<FieldOf<generated[N], 'requestBody'>>>;

/**
 * The differing parts of an operation. Every generated reply must fit the input of our reply schema, and its output
 * must fit the generated reply.
 */
type Disagreement<N extends Name> =
  | (FitBoth<BodyOf<N>, GeneratedBody<N>> extends true ? never : `${N}: body`)
  | (FitBoth<QueryOf<N>, Either<PartOf<generated[N], 'query'>>> extends true ? never : `${N}: query`)
  | (FitBoth<ParamsOf<N>, Either<PartOf<generated[N], 'path'>>> extends true ? never : `${N}: parameters`)
  | (Fits<z.output<Operations[N]['reply']>, ReplyOf<generated[N]>> extends true
      ? never
      : `${N}: decoded reply`)
  | (Fits<ReplyOf<generated[N]>, z.input<Operations[N]['reply']>> extends true ? never : `${N}: reply`)
  | (FieldOf<FieldOf<paths, Operations[N]['path']>, Lowercase<Operations[N]['method']>> extends generated[N]
      ? never
      : `${N}: path`);

type Disagreements = { readonly [N in Name]: Disagreement<N> }[Name];

/** Compiles only if there are no disagreements. */
export const disagreements: readonly Disagreements[] = [] satisfies readonly never[];
type Assert<T extends never> = T;
export type Agreement = Assert<Disagreements>;
export type OperationsAgree = Assert<Exclude<keyof generated, Name | 'rewardRequest'>>;
