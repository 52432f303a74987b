import { Failure, type FailureKind } from '../base/failure.ts';
import { type HintText, hint, reviewctl } from '../base/hint.ts';
import { kebabCase } from '../base/name-case.ts';
import { ProxyError } from '../base/proxy.ts';
import { authorityRemedy, isAuthorityUnknown } from '../base/tls-failure.ts';
import { type OperationName, operations, optInOperations } from '../contract/operations.ts';
import { locInWords, readErrorDetail, type ValidationIssue } from '../contract/validation-error.ts';
import type { TransportError, WireReply, WireRequest } from '../contract/wire.ts';

/** The failure of a call without the documented reply. */
export class ServiceFailure extends Failure {
  /** The service's reasons for refusing individual values (API 7); empty if none are readable. */
  readonly issues: readonly ValidationIssue[];
  /** The service's reason without the name of the request, for lists whose rows show that name. */
  readonly reason: string;
  /** True if the service may have carried out the request: its reply was lost, or is inconclusive. */
  readonly isOutcomeUnknown: boolean;
  /** True if the request provably had no effect: every attempt was refused, or never reached the service. */
  readonly hadNoEffect: boolean;
  /** The Retry-After header: when to call the service again. */
  readonly retryAfter: string | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    nextStep: HintText | undefined,
    details: {
      readonly operation: string;
      readonly status?: number;
      readonly issues?: readonly ValidationIssue[];
      readonly isOutcomeUnknown?: boolean;
      readonly hadNoEffect?: boolean;
      readonly retryAfter?: string | undefined;
      readonly reason?: string;
      readonly cause?: unknown;
    },
  ) {
    const { issues = [], retryAfter, reason = message, ...others } = details;
    const { isOutcomeUnknown = false, hadNoEffect = false, ...place } = others;
    super(kind, message, nextStep, place);
    this.issues = issues;
    this.isOutcomeUnknown = isOutcomeUnknown;
    this.hadNoEffect = hadNoEffect;
    this.retryAfter = retryAfter;
    this.reason = reason;
  }

  /** The same failure with another reason, or another next step. */
  because(reason: string, nextStep = this.nextStep): ServiceFailure {
    const { kind, message, place, issues, isOutcomeUnknown, hadNoEffect, retryAfter } = this;
    const { operation = '' } = place;
    const effect = { isOutcomeUnknown, hadNoEffect };
    const details = { ...place, operation, issues, ...effect, retryAfter, reason, cause: this };
    return new ServiceFailure(kind, message, nextStep, details);
  }

  /** True if the same request may succeed later. */
  get isPassing(): boolean {
    return this.kind === 'unreachable' || this.kind === 'overloaded' || this.kind === 'unreadable-reply';
  }
}

/** The failure of a reply other than 2xx. */
export function failureOfReply(request: WireRequest, reply: WireReply): ServiceFailure {
  const { kind, what, nextStep } = isListing(request)
    ? meaningOfListing(reply, request)
    : meaningOf(reply, request);
  const { issues, message } = readErrorDetail(reply.body);
  const detail = issues.length > 0 ? issuesInWords(issues) : message;
  const hadNoEffect = !mayHaveHadEffect(reply, request);
  const isOutcomeUnknown = !request.isRepeatable && !hadNoEffect;
  const withStatus = `${what} (${reply.status})${detail === '' ? '' : `: ${detail}`}`;
  return new ServiceFailure(kind, `${request.operation}: ${withStatus}`, nextStep, {
    operation: request.operation,
    status: reply.status,
    issues,
    // The words of a proxy mean little without their status.
    reason: detail === '' || isOutcomeUnknown ? withStatus : detail,
    isOutcomeUnknown,
    hadNoEffect,
    retryAfter: reply.headers['retry-after'],
  });
}

/**
 * True if the request may have had its effect. A server that gave up may have carried it out, and so may one that
 * redirects: web frameworks answer a form with 301, 302 or 303 after the effect. Only 307 and 308 ask for the same
 * request again, and so do 301 and 302 to the same path elsewhere: the address has moved.
 */
function mayHaveHadEffect(
  { status, headers, isOverloaded, isAfterLoss = false }: WireReply,
  { path }: WireRequest,
): boolean {
  if (isAfterLoss) return true;
  if (isOverloaded) return false;
  if (status === 301 || status === 302) return !isMoved(headers['location'], path);
  const isRedirect = status >= 300 && status < 400 && status !== 307 && status !== 308;
  return isRedirect || status >= 500 || status === 408;
}

/** True if a redirect leads to the requested path at another address, or with a trailing slash. */
function isMoved(location: string | undefined, path: string): boolean {
  const [asked = ''] = path.split('?');
  const target = redirectTarget(location);
  return target.endsWith(`${asked}/`) || (/^https?:/.test(target) && target.endsWith(asked));
}

/** The failure of a missing reply. */
export function failureOfTransport(request: WireRequest, error: TransportError): ServiceFailure {
  return new ServiceFailure(
    'unreachable',
    `${request.operation}: ${error.message}`,
    remedyOf(request, error),
    {
      operation: request.operation,
      isOutcomeUnknown: error.wasSent && !request.isRepeatable,
      hadNoEffect: !error.wasSent,
      reason: error.message,
      cause: error,
    },
  );
}

function remedyOf(request: WireRequest, error: TransportError): HintText {
  if (isAuthorityUnknown(error)) return authorityRemedy;
  if (error.cause instanceof ProxyError) return error.cause.remedy;
  return hint`check the address and the network with: ${reviewctl`doctor`};
    then run the same command again${exceptionFor(request)}`;
}

/** The caveat about repeating a command; empty for reads. */
function exceptionFor({ method }: WireRequest): string {
  return method === 'GET' ? '' : '; completed writes are not repeated';
}

/** The failure of a 2xx reply whose body is not the documented one. */
export function failureOfBody(request: WireRequest, reply: WireReply, reason: string): ServiceFailure {
  const what = `the reply (${reply.status}) cannot be read: ${reason}`;
  return new ServiceFailure(
    'unreadable-reply',
    `${request.operation}: ${what}`,
    hint`check that the setting base-url names the service itself and not a proxy or a web page: ${reviewctl`doctor`}`,
    {
      operation: request.operation,
      status: reply.status,
      reason: what,
      isOutcomeUnknown: !request.isRepeatable,
    },
  );
}

/** Lists the refused values: `body entry 38 originId: field required`. */
function issuesInWords(issues: readonly ValidationIssue[]): string {
  const shown = issues.slice(0, 3).map(({ loc, msg }) => `${locInWords(loc)}: ${msg}`);
  const more = issues.length - shown.length;
  return more > 0 ? `${shown.join('; ')}; and ${more} more` : shown.join('; ');
}

interface Meaning {
  readonly kind: FailureKind;
  readonly what: string;
  readonly nextStep?: HintText;
}

function meaningOf({ status, headers, isOverloaded }: WireReply, request: WireRequest): Meaning {
  if (status >= 300 && status < 400) return meaningOfRedirect(headers['location'], request.path);
  if (status === 401) {
    return {
      kind: 'not-authenticated',
      what: 'the service does not accept the credential',
      nextStep: hint`to see where the credential comes from, and how to replace it: ${reviewctl`doctor`}`,
    };
  }
  if (status === 403) {
    return {
      kind: 'not-allowed',
      what: 'the credential does not allow this',
      nextStep: 'ask the operator of the service which operations it may call',
    };
  }
  if (status === 404) {
    return {
      kind: 'not-found',
      what: 'not found',
      nextStep: Object.hasOwn(optInOperations, request.operation)
        ? `check the setting ${kebabCase(request.operation)}, and the id if there is one`
        : hint`check the id; if no call succeeds, check the setting base-url with: ${reviewctl`doctor`}`,
    };
  }
  if (isOverloaded || status === 503) {
    const pause = headers['retry-after'];
    return {
      kind: 'overloaded',
      what: `the service asks to slow down${pause === undefined ? '' : `, Retry-After: ${pause}`}`,
      nextStep: 'run the same command again later, or with a lower rate or concurrency: -c rate=5',
    };
  }
  if (status >= 500 || status === 408) {
    return {
      kind: 'unreachable',
      what: 'the service failed',
      nextStep: `run the same command again later${exceptionFor(request)}`,
    };
  }
  return {
    kind: 'refused',
    what: 'the service refused the request',
    nextStep: 'correct what the message names and run the command again',
  };
}

/** True for a read without an id in its path. If it is refused, its address or a parameter is wrong. */
function isListing({ method, operation }: WireRequest): boolean {
  return (
    method === 'GET' &&
    Object.hasOwn(operations, operation) &&
    !operations[operation as OperationName].path.includes('{')
  );
}

/** Statuses that concern the address or the method, not a parameter. */
const addressStatuses: ReadonlySet<number> = new Set([404, 405, 410, 426]);

function meaningOfListing(reply: WireReply, request: WireRequest): Meaning {
  const meaning = meaningOf(reply, request);
  if (addressStatuses.has(reply.status)) {
    return {
      kind: 'config',
      what:
        meaning.kind === 'not-found'
          ? 'nothing is served at this address'
          : `this address does not answer ${request.method} requests as documented`,
      nextStep: hint`check the setting base-url, which is the address before /admin/v2: ${reviewctl`doctor`}`,
    };
  }
  if (meaning.kind === 'refused') {
    const isTooLong = reply.status === 414 || reply.status === 431;
    const nextStep = isTooLong
      ? 'the request is too long: pass fewer values, in several calls'
      : 'correct the flag the message names';
    return { ...meaning, kind: 'usage', nextStep };
  }
  return meaning;
}

/** A redirect to the same path on another host names the base URL to set. */
function meaningOfRedirect(location: string | undefined, path: string): Meaning {
  const target = redirectTarget(location);
  const what = `the service redirects to ${target}`;
  const [asked = ''] = path.split('?');
  if (target.endsWith(`${asked}/`)) {
    return {
      kind: 'config',
      what: `${what}, the same path with a trailing slash`,
      nextStep:
        'no base-url changes this: the API document has no such slash; ' +
        'ask the operator of the service to answer without it',
    };
  }
  const base = target.endsWith(asked) ? target.slice(0, -asked.length) : undefined;
  const address =
    base === undefined
      ? 'the final address'
      : /^https?:/.test(base)
        ? base
        : `the same host with the path ${base || '/'}`;
  return {
    kind: 'config',
    what,
    nextStep: `redirects are not followed; set base-url to ${address}`,
  };
}

/** The target of a redirect without user name, password and query, which may be secrets. */
function redirectTarget(location: string | undefined): string {
  if (location === undefined) return 'another address';
  return location.replace(/[?#].*$/s, '').replace(/^((?:[a-z]+:)?\/\/)[^/]*@/i, '$1');
}
