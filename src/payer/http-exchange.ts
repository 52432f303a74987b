import type { Dispatcher } from 'undici';
import { messageOf, systemCodeOf } from '../base/failure.ts';
import { type HttpConnections, openHttpConnections } from '../base/http-connections.ts';
import { lateProxy, type ProxyError, proxyErrorOf } from '../base/proxy.ts';
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
export function post(
  { dispatcher, proxy }: HttpConnections,
  { url, headers, body, timeoutMs, mayLeave = () => true }: HttpRequest,
): Promise<PostResult> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let status = 0;
    let retryAfter: string | undefined;
    const chunks: Buffer[] = [];
    const end = (exchange: PostResult) => {
      isOver = true;
      clearTimeout(deadline);
      resolve(exchange);
    };
    const fail = (message: string) =>
      end({ kind: controller === undefined ? 'not-sent' : 'outcome-unknown', message });
    const deadline = setTimeout(() => {
      const missing =
        controller === undefined ? 'no connection to the payer' : 'no complete answer of the payer';
      const late = `${missing} within ${timeoutMs / 1000} s`;
      fail(controller === undefined && proxy !== undefined ? inWords(lateProxy(proxy, timeoutMs)) : late);
      controller?.abort(new Error('too late'));
    }, timeoutMs);
    dispatcher.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
      {
        // Called just before the first byte is sent: from now on the payer may have seen the request.
        onRequestStart: (started) => {
          // The connection was made after the deadline, when the caller had been promised that nothing was
          // sent.
          if (!isOver && !mayLeave()) fail('the connection to the payer was made too late');
          if (isOver) started.abort(new Error('too late'));
          controller = started;
        },
        onResponseStart: (_, statusCode, received) => {
          status = statusCode;
          retryAfter = [received['retry-after']].flat()[0];
        },
        onResponseData: (_, chunk) => {
          chunks.push(chunk);
        },
        onResponseEnd: () => {
          end({ kind: 'answered', answer: { status, retryAfter, body: Buffer.concat(chunks).toString() } });
        },
        onResponseError: (_, error) => {
          const ofProxy =
            proxy === undefined || controller !== undefined ? undefined : proxyErrorOf(error, proxy);
          const reason = ofProxy === undefined ? describe(error) : inWords(ofProxy);
          fail(`${reason}${status === 0 ? '' : ` (after status ${status})`}`);
        },
      },
    );
  });
}

function inWords({ message, remedy }: ProxyError): string {
  return `${message}; ${remedy}`;
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
