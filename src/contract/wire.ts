/** The documented methods (API 4). */
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT';

/** One HTTP request, without the address of the service and the credential. */
export interface WireRequest {
  /** The name of the operation in the table, for traces, limits and messages. */
  readonly operation: string;
  /** Whether the same request may be sent again when its reply was lost. */
  readonly isRepeatable: boolean;
  readonly method: Method;
  /** Path and query, beginning with `/admin/v2`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or undefined for an operation without a body. */
  readonly body: string | undefined;
}

export interface WireReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body before decoding, if the transport has it. The last reader of a reply may overwrite it. */
  readonly bytes?: Buffer;
  /** Whether it refuses the request because there are too many: then the request had no effect. */
  readonly isOverloaded?: boolean;
  /** Whether an earlier attempt of the same request may have had its effect. */
  readonly isAfterLoss?: boolean;
}

/**
 * The one seam between the client and a service. Resolves with any complete reply, whatever its status. Rejects
 * with a `TransportError` when there is none, and with the signal's reason when aborted.
 */
export type Transport = (request: WireRequest, signal?: AbortSignal) => Promise<WireReply>;

/**
 * No complete reply. `wasSent` is false only where the request provably never reached the service (no
 * address, connection refused, TLS failed) in any attempt, so that repeating it is safe.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly wasSent: boolean;

  constructor(message: string, wasSent: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.wasSent = wasSent;
  }
}
