import { Failure } from '../../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../../base/hint.ts';
import { ServiceFailure } from '../../../client/service-failure.ts';
import type { OperationName } from '../../../contract/operations.ts';
import { type GivenBody, textIn } from './given-body.ts';
import { findHint, nounOf } from './path-arguments.ts';

/** One call of an operation, as requested by a person. */
export interface OperationCall {
  readonly name: OperationName;
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: GivenBody | undefined;
}

/**
 * Explains the failure of one call to the person who made it: an unknown outcome names a way to check it, a missing
 * record its id and a way to find one, a refusal the flags. Other errors are returned unchanged.
 */
export function explainedFailure(error: unknown, call: OperationCall): unknown {
  if (!(error instanceof ServiceFailure)) return error;
  if (error.isOutcomeUnknown) return lostAnswer(error, call);
  if (error.kind === 'not-found') return missingRecord(error, call);
  return error.kind === 'refused' ? refusal(error, call) : error;
}

function lostAnswer({ message, place }: ServiceFailure, call: OperationCall): Failure {
  const look = lookups[call.name]?.(call) ?? 'look for it at the service';
  return new Failure(
    'unknown-outcome',
    `${message}; the service may have carried it out anyway`,
    hint`it was not sent again; ${look}, and run the command again only if it was not carried out`,
    place,
  );
}

/** Ways to check whether a request without a reply took effect, for requests that must not be sent twice. */
const lookups: Partial<Record<OperationName, (call: OperationCall) => HintText>> = {
  createProduct: ({ body }) => hint`look with: ${reviewctl`products get origin:${textIn(body, 'originId')}`}`,
  addOrderItem: ({ params: { orderId = '' } }) =>
    hint`look with: ${reviewctl`orders get ${orderId} --fields items`}`,
  createCategory: () => 'no operation shows a category, so look for it in the web pages of the service',
};

function missingRecord(error: ServiceFailure, { params }: OperationCall): ServiceFailure | Failure {
  const named = Object.keys(params).filter((parameter) =>
    error.issues.some(({ loc }) => loc.includes(parameter)),
  );
  const parameters = named.length > 0 ? named : Object.keys(params);
  const [first] = parameters;
  if (first === undefined) return error;
  const what = parameters.map((parameter) => `${nounOf(parameter)} with the id '${params[parameter]}'`);
  return new Failure(
    'not-found',
    `${error.place.operation}: the service has no ${what.join(', or no ')} (${error.place.status})`,
    findHint(first, params[first] ?? ''),
    error.place,
  );
}

function refusal(error: ServiceFailure, { body }: OperationCall): Failure {
  const { issues, place } = error;
  if (body === undefined || issues.length === 0) return error;
  const lines = issues.map(({ loc: [where, ...path], msg }) => {
    const name = where === 'body' ? body.nameOf(path) : [where ?? 'the request', ...path].join(' ');
    return `${name}: ${msg}`;
  });
  const [only = ''] = lines;
  const what = `${place.operation}: the service refused this (${place.status})`;
  return new Failure(
    'refused',
    lines.length === 1 ? `${what}: ${only}` : [`${what}:`, ...lines.slice(0, issuesShown)].join('\n'),
    error.nextStep,
    place,
  );
}

/** Further issues are omitted: after these are corrected, the command is run again anyway. */
const issuesShown = 20;
