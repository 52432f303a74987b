import { isJsonObject, type Json } from '../../base/json.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { ValidationIssue } from '../../contract/validation-error.ts';
import type { WireReply } from '../../contract/wire.ts';
import type { RefusalReason, RequestOutcome } from '../state/outcome.ts';

const jsonHeaders = { 'content-type': 'application/json' };

/** The reply to an outcome, in the form that the assumptions determine. */
export function replyTo(method: string, outcome: RequestOutcome, assumptions: Assumptions): WireReply {
  if (outcome.kind === 'refused') return refusalReply(outcome.reason, outcome.issues, assumptions);
  return {
    status: method === 'POST' ? Number(assumptions.successStatus) : 200,
    headers: jsonHeaders,
    body: documentText(outcome.document, assumptions),
  };
}

/** A document as the service writes it (assumptions `emptyFields`, `replyScalars`). */
export function documentText(document: Json, { emptyFields, replyScalars }: Assumptions): string {
  const written = replyScalars === 'swapped' ? swapScalars(document) : document;
  if (emptyFields === 'null') return JSON.stringify(written);
  return JSON.stringify(written, (_, value: unknown) => (value === null ? undefined : value));
}

/** Writes numbers as text, and whole numbers in text as numbers, as loosely typed services do. */
function swapScalars(value: Json): Json {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') {
    const number = Number(value);
    return Number.isSafeInteger(number) && String(number) === value ? number : value;
  }
  if (value === null || typeof value === 'boolean') return value;
  if (!isJsonObject(value)) return value.map(swapScalars);
  return Object.fromEntries(Object.entries(value).map(([name, field = null]) => [name, swapScalars(field)]));
}

function statusOf(reason: RefusalReason, assumptions: Assumptions): number {
  switch (reason) {
    case 'invalid':
      return Number(assumptions.validationStatus);
    case 'unauthenticated':
      return Number(assumptions.unauthenticatedStatus);
    case 'not-found':
      return 404;
    case 'method-not-allowed':
      return 405;
    case 'too-large':
      return 413;
    case 'unsupported-media-type':
      return 415;
  }
}

function refusalReply(
  reason: RefusalReason,
  issues: readonly ValidationIssue[],
  assumptions: Assumptions,
): WireReply {
  const status = statusOf(reason, assumptions);
  const challenge: Record<string, string> =
    status === 401 ? { 'www-authenticate': 'Basic realm="sandbox"' } : {};
  const { body, contentType } = errorBody(status, issues, assumptions);
  return { status, headers: { 'content-type': contentType, ...challenge }, body };
}

/** The body of an error, in the form of the assumptions `errorDetail` and `locIndex`. */
function errorBody(
  status: number,
  issues: readonly ValidationIssue[],
  { errorDetail, locIndex }: Assumptions,
) {
  const message = issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  const json = (detail: unknown) => ({ body: JSON.stringify({ detail }), contentType: 'application/json' });
  switch (errorDetail) {
    case 'array':
      return json(
        locIndex === 'integer' ? issues : issues.map((issue) => ({ ...issue, loc: issue.loc.map(String) })),
      );
    case 'string':
      return json(message);
    case 'object':
      return json({ message });
    case 'empty':
      return { body: '', contentType: 'text/plain' };
    case 'html':
      return { body: htmlPage(status, message), contentType: 'text/html; charset=utf-8' };
  }
}

/** An error page such as proxies send; `message` is escaped. */
export function htmlPage(status: number, message: string): string {
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const head = `<head><title>${status}</title></head>`;
  return `<!doctype html><html>${head}<body><h1>${status}</h1><p>${text}</p></body></html>`;
}
