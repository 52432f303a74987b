import type { Dispatcher } from 'undici';
import { messageOf, systemCodeOf } from '../base/failure.ts';
import { proxyFor } from '../base/proxy.ts';
import type { HttpAnswer } from './http-answer.ts';

/** What came of a request: an answer; proof that not one byte of it left; or neither. */
export type Exchange =
  | { readonly kind: 'answered'; readonly answer: HttpAnswer }
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'outcome-unknown'; readonly message: string };

export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** Calls at once; what does not fit waits, within its own time. */
const connectionsMaximum = 64;
/** The largest answer that is read, in bytes. */
const answerBytesMaximum = 64 * 1024;

/** How long an idle connection is used again, where any is, in milliseconds: payers close theirs after seconds. */
const idleMs = 500;

export interface ConnectionOptions {
  readonly timeoutMs: number;
  /** Whether a call whose answer is lost may be repeated at no cost, so that it may meet a connection that is being closed. */
  readonly isRepeatable: boolean;
  /** Where HTTPS_PROXY and NO_PROXY are looked up, in lower case first as other tools do. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Connections to the origin of `url`, one for each call unless calls are repeatable: an idle one may be closed by the other side just as a
 * payment is written to it, and then nobody knows whether it arrived. https goes through the proxy there may be.
 * @throws Failure('config') for an HTTPS_PROXY that is no address.
 */
export async function openConnections(
  url: URL,
  { timeoutMs, isRepeatable, env }: ConnectionOptions,
): Promise<Dispatcher> {
  const options = {
    connections: connectionsMaximum,
    pipelining: isRepeatable ? 1 : 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    maxResponseSize: answerBytesMaximum,
    // The whole call has one deadline of its own, which also bounds a body that trickles.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: timeoutMs },
  };
  const proxy = proxyFor(url, env);
  if (proxy === undefined) {
    const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
    return new Pool(url.origin, options);
  }
  const [{ default: Agent }, { default: dispatcher }, { default: connect }] = await Promise.all([
    import('undici/lib/dispatcher/env-http-proxy-agent.js'),
    import('undici/lib/dispatcher/dispatcher.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  // Tunnels are asked for by a method that only the root of undici adds, which is slow to load.
  dispatcher.prototype.connect = connect;
  return new Agent({ ...options, httpProxy: '', ...proxy });
}

/** Sends one POST, once. Redirects are handed back as the answers they are. Never rejects. */
export function post(
  dispatcher: Dispatcher,
  { url, headers, body, timeoutMs }: HttpRequest,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let status = 0;
    let retryAfter: string | undefined;
    const chunks: Buffer[] = [];
    const end = (exchange: Exchange) => {
      isOver = true;
      clearTimeout(deadline);
      resolve(exchange);
    };
    const fail = (message: string) =>
      end({ kind: controller === undefined ? 'not-sent' : 'outcome-unknown', message });
    const deadline = setTimeout(() => {
      const missing =
        controller === undefined ? 'no connection to the payer' : 'no complete answer of the payer';
      fail(`${missing} within ${timeoutMs / 1000} s`);
      controller?.abort(new Error('too late'));
    }, timeoutMs);
    dispatcher.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
      {
        // Called right before the first byte is written: from here on the payer may have seen the request.
        onRequestStart: (started) => {
          // Its connection came after its time was over, and it was told that nothing had left.
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
          fail(`${describe(error)}${status === 0 ? '' : ` (after status ${status})`}`);
        },
      },
    );
  });
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
    default:
      return `no connection to the payer: ${messageOf(error) || code}`;
  }
}
