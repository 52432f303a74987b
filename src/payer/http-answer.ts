import { messageOf, systemCodeOf } from '../base/failure.ts';
import type { HttpLoss } from '../base/http-request.ts';
import { authorityRemedy, isAuthorityUnknown, tlsFailureInWords } from '../base/tls-failure.ts';
import { type OutcomeJson, readOutcomeJson, shortened } from './outcome-json.ts';
import type { PayerAnswer, Payment } from './payer.ts';

/** A complete response. */
export interface HttpAnswer {
  readonly status: number;
  /** The Retry-After header, as it was sent. */
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** What is known of a call besides its response. */
export interface HttpCall {
  readonly payment: Payment;
  /** Statuses besides 2xx that mean paid for this payer. */
  readonly paidStatuses: ReadonlySet<number>;
}

/** Our credentials or the endpoint are wrong, so all other payments would fail as well. */
const misconfiguredStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405]);

/**
 * The answer of an HTTP response. An outcome in the body decides where the status leaves it open, and must agree with
 * the status elsewhere.
 */
export function httpAnswer(answer: HttpAnswer, { payment, paidStatuses }: HttpCall): PayerAnswer {
  const { status, body } = answer;
  const outcome = readOutcomeJson(body, payment);
  const message = `the payer answered ${status}${wordsOf(body, outcome)}`;
  if (misconfiguredStatuses.has(status) && !paidStatuses.has(status)) {
    const claimsPaid = outcome?.kind === 'paid' || (outcome?.kind === 'foreign' && outcome.claimsPaid);
    return claimsPaid
      ? contradiction(status, 'not paid', outcome)
      : { kind: 'misconfigured', message: message };
  }
  if (outcome?.kind === 'foreign')
    return { kind: 'ambiguous', message: `the payer answered ${status}, and ${outcome.message}` };
  if (status === 422) {
    if (outcome !== undefined && outcome.kind !== 'nothing' && outcome.kind !== 'refused') {
      return contradiction(status, 'refused', outcome);
    }
    return { kind: 'refused', message: outcome?.kind === 'refused' ? (outcome.message ?? message) : message };
  }
  if (status === 429) {
    if (outcome !== undefined && outcome.kind !== 'nothing' && outcome.kind !== 'retry') {
      return contradiction(status, 'not yet paid', outcome);
    }
    const wait =
      answer.retryAfter === undefined ? '' : `, to be asked again after ${shortened(answer.retryAfter)}`;
    return { kind: 'retry', message: `${message}${wait}` };
  }
  if ((status >= 200 && status < 300) || paidStatuses.has(status))
    return acceptance(answer, outcome, message);
  if (status >= 400 && status < 500 && (outcome?.kind === 'refused' || outcome?.kind === 'retry')) {
    return { kind: outcome.kind, message: outcome.message ?? message };
  }
  return { kind: 'ambiguous', message: status < 400 && status >= 300 ? redirected(status) : message };
}

/** The answer for a status that means paid, unless the body contradicts it or is not in our format. */
function acceptance(
  { status, body }: HttpAnswer,
  outcome: Exclude<OutcomeJson, { readonly kind: 'foreign' }> | undefined,
  message: string,
): PayerAnswer {
  switch (outcome?.kind) {
    case undefined:
      return body.trim() === ''
        ? { kind: 'paid' }
        : {
            kind: 'ambiguous',
            message: `${message}, which is not a JSON object: leave the body empty or write {"outcome":"paid"}`,
          };
    case 'paid':
      return outcome;
    case 'nothing':
      return { kind: 'paid' };
    case 'refused':
    case 'retry':
      return { kind: outcome.kind, message: outcome.message ?? message };
    case 'unrecognized':
      return { kind: 'ambiguous', message: `the payer answered ${status}, and ${outcome.message}` };
    case 'not-found':
      return contradiction(status, 'paid', outcome);
  }
}

function contradiction(status: number, meaning: string, outcome: OutcomeJson): PayerAnswer {
  const contrary =
    outcome.kind === 'unrecognized' || outcome.kind === 'foreign'
      ? outcome.message
      : `its body says '${outcome.kind}'`;
  return {
    kind: 'ambiguous',
    message: `the payer contradicts itself: status ${status} is '${meaning}', ${contrary}`,
  };
}

function redirected(status: number): string {
  return `the payer answered ${status}, and redirects are not followed: name the address they lead to`;
}

/** The body as text for a person; empty for a web page. */
function wordsOf(body: string, outcome: OutcomeJson | undefined): string {
  const words =
    outcome !== undefined && 'message' in outcome && outcome.kind !== 'foreign' ? outcome.message : body;
  return words === undefined || words.trim() === '' || words.trimStart().startsWith('<')
    ? ''
    : `: ${shortened(words)}`;
}

/** The most that is read of a response, in bytes. */
export const answerBytesMaximum = 64 * 1024;

/** The answer of a call without a complete response: it may have paid unless nothing of it was sent. */
export function lostAnswer(loss: HttpLoss, timeoutMs: number): PayerAnswer {
  const message = lossInWords(loss, timeoutMs);
  return loss.wasSent
    ? { kind: 'ambiguous', message: `${message}, after the payment was sent` }
    : { kind: 'retry', message };
}

function lossInWords({ wasSent, status, reason, ofProxy }: HttpLoss, timeoutMs: number): string {
  if (reason === 'withdrawn') return 'the connection to the payer was made too late';
  const missing = wasSent ? 'no complete answer of the payer' : 'no connection to the payer';
  const plain = reason === 'late' ? `${missing} within ${timeoutMs / 1000} s` : describe(reason);
  const words = ofProxy === undefined ? plain : `${ofProxy.message}; ${ofProxy.remedy}`;
  return reason === 'late' || status === 0 ? words : `${words} (after status ${status})`;
}

function describe(error: Error): string {
  const code = systemCodeOf(error) ?? '';
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing answers at the address of the payer (connection refused)';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host of the payer is not known';
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the connection to the payer broke';
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return `the answer of the payer is larger than ${answerBytesMaximum / 1024} KiB`;
    default: {
      const remedy = isAuthorityUnknown(error) ? `; ${authorityRemedy}` : '';
      const reason =
        tlsFailureInWords(error, 'the payer') ?? `no connection to the payer: ${messageOf(error) || code}`;
      return reason + remedy;
    }
  }
}
