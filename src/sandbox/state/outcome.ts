import type { Json } from '../../base/json.ts';
import type { ValidationIssue } from '../../contract/validation-error.ts';
import type { RequestContext } from './request-context.ts';

/** Why a request is refused; `reply.ts` maps each reason to a status. */
export type RefusalReason =
  | 'invalid'
  | 'unauthenticated'
  | 'not-found'
  | 'method-not-allowed'
  | 'too-large'
  | 'unsupported-media-type';

export interface Done {
  readonly kind: 'done';
  readonly document: Json;
}

export interface RefusedRequest {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  readonly issues: readonly ValidationIssue[];
}

/** The result of a request. A refused request has no effect. */
export type RequestOutcome = Done | RefusedRequest;

export function done(document: Json): Done {
  return { kind: 'done', document };
}

/** Converts a record to the form that replies show. */
export type Show<R> = (context: RequestContext, record: R) => Json;

/** Performs an update. The reply shows the record after or before it (assumption `writeReply`). */
export function doneUpdate<R>(
  context: RequestContext,
  { before, after, put }: { readonly before: R; readonly after: R; readonly put: () => void },
  show: Show<R>,
): Done {
  const earlier = context.assumptions.writeReply === 'earlier' ? show(context, before) : undefined;
  put();
  return done(earlier ?? show(context, after));
}

export function refused(reason: RefusalReason, issues: readonly ValidationIssue[]): RefusedRequest {
  return { kind: 'refused', reason, issues };
}

/** Refuses one value of a request. `loc` locates it; `type` is a stable code of the reason. */
export function invalid(loc: ValidationIssue['loc'], msg: string, type: string): RefusedRequest {
  return refused('invalid', [{ loc, msg, type }]);
}

/** Shows the record that a path names, or refuses the path. */
export function found<R>(
  context: RequestContext,
  record: R | undefined,
  [parameter, id]: readonly [parameter: string, id: string],
  show: Show<R>,
): RequestOutcome {
  return record === undefined ? notFound(parameter, id) : done(show(context, record));
}

/** Refuses a path whose record does not exist. */
export function notFound(parameter: string, id: string): RefusedRequest {
  return refused('not-found', [
    { loc: ['path', parameter], msg: `no record has the id ${id}`, type: 'not_found' },
  ]);
}
