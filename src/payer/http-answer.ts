import { messageOf, systemCodeOf } from '../base/failure.ts';
import type { HttpLoss } from '../base/http-request.ts';
import { connectionFailure } from '../base/proxy.ts';
import { authorityRemedy, isAuthorityUnknown, tlsFailureInWords } from '../base/tls-failure.ts';
import { readOutcomeJson, shortened } from './outcome-json.ts';
import type { PayerAnswer, Payment } from './payer.ts';

/** A complete response. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** The facts about a call besides its response. */
export interface HttpCall {
  readonly payment: Payment;
  /** Statuses besides 2xx that mean paid for this payer. */
  readonly paidStatuses: ReadonlySet<number>;
}

/** Statuses that mean wrong credentials or a wrong endpoint, so that all other payments would fail too. */
const misconfiguredStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405]);

/**
 * Converts an HTTP response to an answer. An outcome in the body decides if the status is inconclusive; otherwise it
 * must agree with the status.
 */
export function httpAnswer({ status, body }: HttpAnswer, { payment, paidStatuses }: HttpCall): PayerAnswer {
  const outcome = readOutcomeJson(body, payment);
  const said = outcome?.kind ?? 'nothing';
  const own = outcome !== undefined && 'message' in outcome ? outcome.message : undefined;
  const answered = `the payer answered ${status}`;
  const message = answered + wordsOf(said === 'foreign' ? undefined : own, body);
  const doubtful = `${answered}, and ${own}`;
  const contradicting = (meaning: string): PayerAnswer => {
    const contrary = said === 'unrecognized' || said === 'foreign' ? own : `its body says '${said}'`;
    return ambiguous(`the payer contradicts itself: status ${status} is '${meaning}', ${contrary}`);
  };
  const isPaid = (status >= 200 && status < 300) || paidStatuses.has(status);
  if (misconfiguredStatuses.has(status) && !isPaid) {
    const claimsPaid = said === 'paid' || (outcome?.kind === 'foreign' && outcome.claimsPaid);
    return claimsPaid ? contradicting('not paid') : { kind: 'misconfigured', message };
  }
  if (said === 'foreign') return ambiguous(doubtful);
  const isRefusal = status === 422 && !isPaid;
  const isPostponed = status === 429 && !isPaid;
  if (isRefusal && said !== 'nothing' && said !== 'refused') return contradicting('refused');
  if (isPostponed && said !== 'nothing' && said !== 'retry') return contradicting('not yet paid');
  if (isPostponed) return { kind: 'retry', message };
  const isOpen = isPaid || (status >= 400 && status < 500);
  if (isOpen && (said === 'refused' || said === 'retry')) return { kind: said, message: own ?? message };
  if (isRefusal) return { kind: 'refused', message };
  if (!isPaid) return ambiguous(status < 400 && status >= 300 ? answered + redirected : message);
  if (outcome?.kind === 'paid') return outcome;
  if (said === 'not-found') return contradicting('paid');
  if (said === 'unrecognized') return ambiguous(doubtful);
  return outcome === undefined && body.trim() !== '' ? ambiguous(message + notJson) : { kind: 'paid' };
}

const notJson = ', which is not a JSON object: leave the body empty or write {"outcome":"paid"}';
const redirected = ', and redirects are not followed: name the address they lead to';

function ambiguous(message: string): PayerAnswer {
  return { kind: 'ambiguous', message };
}

/** The payer's own words for a person; empty for a web page. */
function wordsOf(own: string | undefined, body: string): string {
  const words = own ?? body;
  return words.trim() === '' || words.trimStart().startsWith('<') ? '' : `: ${shortened(words)}`;
}

/** The maximum size of a response, in bytes. */
export const answerBytesMaximum = 64 * 1024;

/** The answer of a call without a complete response: it may have paid unless nothing was sent. */
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
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return `the answer of the payer is larger than ${answerBytesMaximum / 1024} KiB`;
  const reason =
    connectionFailure(error, 'the payer') ??
    tlsFailureInWords(error, 'the payer') ??
    `no connection to the payer: ${messageOf(error) || code}`;
  return isAuthorityUnknown(error) ? `${reason}; ${authorityRemedy}` : reason;
}
