import type { Json } from '../../base/json.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { ValidationIssue } from '../../contract/validation-error.ts';

/** Why a request is refused; `reply.ts` knows the status of each. */
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

export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  readonly issues: readonly ValidationIssue[];
}

/** What a request came to. A refused one has had no effect. */
export type Outcome = Done | Refused;

export function done(document: Json): Done {
  return { kind: 'done', document };
}

/** Carries out an update; the reply shows the record as it is after it, or as it was before (assumption `writeReply`). */
export function doneUpdate<T>(
  { writeReply }: Pick<Assumptions, 'writeReply'>,
  { before, after, put }: { readonly before: T; readonly after: T; readonly put: () => void },
  show: (record: T) => Json,
): Done {
  const earlier = writeReply === 'earlier' ? show(before) : undefined;
  put();
  return done(earlier ?? show(after));
}

export function refused(reason: RefusalReason, issues: readonly ValidationIssue[]): Refused {
  return { kind: 'refused', reason, issues };
}

/** Refuses one value of a request: `loc` says which, `type` is a stable word for why. */
export function invalid(loc: ValidationIssue['loc'], msg: string, type: string): Refused {
  return refused('invalid', [{ loc, msg, type }]);
}

/** Refuses a path that names a record that is not there. */
export function notFound(parameter: string, id: string): Refused {
  return refused('not-found', [
    { loc: ['path', parameter], msg: `no record has the id ${id}`, type: 'not_found' },
  ]);
}
