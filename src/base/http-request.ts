import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import type { HttpConnections } from './http-connections.ts';
import { lateProxy, type ProxyError, proxyErrorOf } from './proxy.ts';

/** A complete reply; its headers have lower-case names. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A request that ended without a complete reply. */
export interface HttpLoss {
  /** True if the server may have seen the request. */
  readonly wasSent: boolean;
  /** The status of an incomplete reply; 0 if none had begun. */
  readonly status: number;
  /** Why it ended; `withdrawn` if `mayLeave` refused it. */
  readonly reason: 'late' | 'withdrawn' | Error;
  /** The failure as that of the proxy, if the request was not sent. */
  readonly ofProxy: ProxyError | undefined;
}

interface HttpRequestOptions {
  /** The time limit until the last byte of the reply, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called just before the request is sent; if it returns false, nothing is sent. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** Sends one request once and returns redirects without following them. @throws the reason of `signal`. */
export async function sendRequest(
  { dispatcher, proxy }: HttpConnections,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, signal, mayLeave = () => true }: HttpRequestOptions,
): Promise<HttpReply | HttpLoss> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let status = 0;
    let headers: Record<string, string> = {};
    const chunks: Buffer[] = [];
    const end = () => {
      isOver = true;
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    };
    const lose = (reason: HttpLoss['reason'], ofProxy?: ProxyError) => {
      end();
      const wasSent = controller !== undefined;
      resolve({ wasSent, status, reason, ofProxy: wasSent ? undefined : ofProxy });
    };
    const abort = () => {
      end();
      // Must come first: the aborted request reports an error of its own.
      reject(signal?.reason);
      controller?.abort(signal?.reason);
    };
    const deadline = setTimeout(() => {
      lose('late', proxy && lateProxy(proxy, timeoutMs));
      controller?.abort(new Error('too late'));
    }, timeoutMs);
    // Any number of requests share the signal of a run. Each removes its listener at its end, so nothing leaks.
    if (signal !== undefined) setMaxListeners(0, signal);
    signal?.addEventListener('abort', abort, { once: true });
    dispatcher.dispatch(request, {
      // Called just before the first byte is sent: from now on the other side may have seen the request.
      onRequestStart: (started) => {
        // Once it is over, the result says that nothing was sent.
        if (!isOver && !mayLeave()) lose('withdrawn');
        if (isOver) started.abort(new Error('too late'));
        controller = started;
      },
      onResponseStart: (_, statusCode, received) => {
        // An interim reply is followed by the real one.
        status = statusCode;
        headers = Object.fromEntries(
          Object.entries(received).map(([name, value]) => [name, [value].flat().join(', ')]),
        );
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk);
      },
      onResponseEnd: () => {
        end();
        resolve({ status, headers, body: Buffer.concat(chunks) });
      },
      onResponseError: (_, error) => lose(error, proxy && proxyErrorOf(error, proxy)),
    });
  });
}
