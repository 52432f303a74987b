/** The documented methods (API 4). */
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT';

/** One HTTP request, without the service's address and the credential. */
export interface WireRequest {
  /** Name of the operation in the table, for traces, limits and messages. */
  readonly operation: string;
  /** True if the request may be sent again after its reply was lost. */
  readonly isRepeatable: boolean;
  readonly method: Method;
  /** Path and query, beginning with `/admin/v2`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; undefined for an operation without a body. */
  readonly body: string | undefined;
}

export interface WireReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body before decoding, if the transport provides it. The last reader of a reply may overwrite it. */
  readonly bytes?: Buffer;
  /** True if the service refused the request because there were too many. Such a request had no effect. */
  readonly isOverloaded?: boolean;
  /** True if an earlier attempt of the same request may have taken effect. */
  readonly isAfterLoss?: boolean;
}

/**
 * The only seam between the client and a service. Resolves with any complete reply, whatever its status. Rejects with a
 * `TransportError` if there is none, and with the signal's reason if it is aborted.
 */
export type Transport = (request: WireRequest, signal?: AbortSignal) => Promise<WireReply>;

/**
 * No complete reply arrived. `wasSent` is false only if the request provably never reached the service in any attempt
 * (no address, connection refused, TLS failed), so that repeating it is safe.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly wasSent: boolean;

  constructor(message: string, wasSent: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.wasSent = wasSent;
  }
}
