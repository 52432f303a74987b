import { messageOf, systemCodeOf } from '../base/failure.ts';
import { type HttpConnections, openHttpConnections } from '../base/http-connections.ts';
import { type HttpLoss, sendRequest } from '../base/http-request.ts';
import { authorityRemedy, isAuthorityUnknown, tlsFailureInWords } from '../base/tls-failure.ts';
import type { HttpAnswer } from './http-answer.ts';

/** The result of a request: a response, proof that nothing of it was sent, or neither. */
export type PostResult =
  | { readonly kind: 'answered'; readonly answer: HttpAnswer }
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'outcome-unknown'; readonly message: string };

interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  /** As in `Payer.pay`. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** Concurrent calls; further ones wait, within their own time limit. */
const connectionsMaximum = 64;
/** The most that is read of a response, in bytes. */
const answerBytesMaximum = 64 * 1024;

/** How long an idle connection is reused, if at all, in milliseconds: payers close theirs after seconds. */
const idleMs = 500;

interface ConnectionOptions {
  readonly timeoutMs: number;
  /**
   * Whether a call with a lost response may be repeated safely, so that it may use a connection that is being
   * closed.
   */
  readonly isRepeatable: boolean;
  /** The source of HTTPS_PROXY and NO_PROXY; lower-case names take precedence, as in other tools. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Connections to the origin of `url`. A connection serves one call, unless calls are repeatable: the other
 * side may close an idle one just as a payment is sent on it, and then its arrival is unknown.
 * @throws Failure('config') as `openHttpConnections`.
 */
export function openConnections(
  url: URL,
  { timeoutMs, isRepeatable, env }: ConnectionOptions,
): Promise<HttpConnections> {
  return openHttpConnections(url, {
    connections: connectionsMaximum,
    pipelining: isRepeatable ? 1 : 0,
    idleMs,
    timeoutMs,
    replyBytesMaximum: answerBytesMaximum,
    env,
  });
}

/** Sends one POST, once. A redirect is returned as the response it is. Never rejects. */
export async function post(
  connections: HttpConnections,
  { url, headers, body, timeoutMs, mayLeave }: HttpRequest,
): Promise<PostResult> {
  const request = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'POST',
    headers,
    body,
  } as const;
  const reply = await sendRequest(connections, request, { timeoutMs, mayLeave });
  if ('reason' in reply)
    return { kind: reply.wasSent ? 'outcome-unknown' : 'not-sent', message: lossInWords(reply, timeoutMs) };
  const { status, headers: received, body: bytes } = reply;
  return {
    kind: 'answered',
    answer: { status, retryAfter: received['retry-after'], body: bytes.toString() },
  };
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
