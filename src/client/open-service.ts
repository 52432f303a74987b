import type { Clock } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import type { Random } from '../base/random.ts';
import { isThisMachine } from '../base/this-machine.ts';
import type { Assumptions } from '../contract/assumptions.ts';
import { pathPrefix } from '../contract/limits.ts';
import type { Transport } from '../contract/wire.ts';
import { withAuth } from './auth.ts';
import { type Api, type ApiOptions, createApi } from './caller.ts';
import { withGate } from './gate.ts';
import { type Outage, type OutageOptions, withOutagePause } from './outage.ts';
import { defaultOverloadStatuses } from './overload.ts';
import { type TooMany, withPace } from './pace.ts';
import { openPool, type PoolOptions } from './pool.ts';
import { type RetryOptions, withRetry } from './retry.ts';
import { type StopOptions, withStop } from './stop.ts';
import { type TraceEvent, withTrace } from './trace.ts';

export interface ServiceOptions {
  /** The user's address of the service, with or without `/admin/v2`. */
  readonly baseUrl: string;
  /** The Basic credential (API 5). */
  readonly token: string;
  readonly assumptions: Assumptions;
  readonly timeoutMs: number;
  readonly retries: number;
  /** The maximum number of requests per second; undefined for no cap. */
  readonly rate?: number | undefined;
  /** Statuses that refuse a request because there are too many; 429 by default. */
  readonly overloadStatuses?: readonly number[] | undefined;
  /** The time to wait for a service that has answered before, in milliseconds; 0 by default. */
  readonly outageWaitMs?: number | undefined;
  /** The source of the proxy variables; without it, no proxy is used. */
  readonly env?: PoolOptions['env'];
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the run accepts no new work: requests under way are awaited, and no others leave. */
  readonly stopping?: AbortSignal | undefined;
  readonly completing?: StopOptions['completing'];
  /** Awaited before each write request; if it throws, the request is not sent. */
  readonly beforeWrite?: (() => Promise<void>) | undefined;
  readonly onRetry?: RetryOptions['onRetry'];
  readonly onRefutation?: ApiOptions['onRefutation'];
  readonly onInvalidUtf8?: ApiOptions['onInvalidUtf8'];
  readonly onExchange?: ((event: TraceEvent) => void) | undefined;
}

export interface Service {
  readonly api: Api;
  /** The same transport, for requests outside the API document. */
  readonly transport: Transport;
  /** Calls `listener` for every future attempt, including retries. */
  watch(listener: (event: TraceEvent) => void): void;
  /** Calls `listener` during future waits for an outage to end. */
  watchOutage(listener: (outage: Outage) => void): void;
  /** The requests refused because there were too many; undefined if none were. */
  tooMany(): TooMany | undefined;
  /** The number of requests that are waiting for their reply. */
  countUnderWay(): number;
  close(): Promise<void>;
}

/** Far above a page of 100 reviews with all nested objects. */
const replyBytesMaximum = 64 * 1024 * 1024;

/**
 * Opens the service over the network, with credential, retries, pauses, pace and trace.
 * @throws Failure('config') for a malformed address, and for plain http to another machine.
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const url = serviceUrl(options.baseUrl);
  const { timeoutMs, env = {} } = options;
  const pool = await openPool(url, { timeoutMs, replyBytesMaximum, env });
  const listeners = new Set(options.onExchange === undefined ? [] : [options.onExchange]);
  const onExchange = (event: TraceEvent) => {
    for (const listener of listeners) listener(event);
  };
  const outageListeners = new Set<(outage: Outage) => void>();
  const onOutage = (outage: Outage) => {
    for (const listener of outageListeners) listener(outage);
  };
  const wrapped = wrap(pool.transport, { ...options, onExchange, onOutage });
  return {
    ...wrapped,
    api: createApi({ ...options, transport: wrapped.transport }),
    watchOutage: (listener) => outageListeners.add(listener),
    watch: (listener) => listeners.add(listener),
    close: () => pool.close(),
  };
}

/** Wraps a transport in layers with one job each. A call enters by the outermost. */
export function wrap(
  transport: Transport,
  options: Omit<ServiceOptions, 'baseUrl' | 'timeoutMs'> & Pick<OutageOptions, 'onOutage'>,
): Pick<Service, 'transport' | 'tooMany' | 'countUnderWay'> {
  const { clock, random, retries, rate, stopping, completing, token, beforeWrite, onRetry } = options;
  const { onExchange = () => undefined } = options;
  const { overloadStatuses = defaultOverloadStatuses, outageWaitMs = 0, onOutage } = options;
  const traced = withTrace(transport, clock, onExchange);
  const authorised = withAuth(traced.transport, token);
  const stopped = stopping === undefined ? authorised : withStop(authorised, { stopping, completing });
  // Outside the stop, which may come while a request waits for its turn. A request that completes work waits for its
  // turn all the same.
  const endOfWait = completing === undefined ? stopping : undefined;
  const paced = withPace(stopped, { rate, overloadStatuses, clock, stopping: endOfWait });
  const outage = { waitMs: outageWaitMs, clock, random, stopping, onOutage };
  const pausing = withOutagePause(paced.transport, outage);
  const retried = withRetry(pausing, { retries, clock, random, stopping, onRetry });
  const gated = beforeWrite === undefined ? retried : withGate(retried, beforeWrite);
  return { transport: gated, tooMany: paced.tooMany, countUnderWay: traced.countInFlight };
}

/**
 * Reads the address of a service. Its path is the part before `/admin/v2`.
 * @throws Failure('config') as `openService`.
 */
export function serviceUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Failure(
      'config',
      `the base URL '${withoutUserInfo(baseUrl)}' is not an address`,
      `give the address of the service with its scheme: -c base-url=${withScheme(baseUrl) ?? 'https://…'}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new Failure(
      'config',
      'the base URL must not contain a user name or password',
      'give the credential with REVIEWCTL_TOKEN or the setting token-file',
    );
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  if (url.protocol === 'http:' && !isThisMachine(url.hostname)) {
    throw new Failure(
      'config',
      `plain http to ${url.hostname} would expose the credential on the network`,
      `use https: -c base-url=https://${url.hostname}${path}`,
    );
  }
  url.pathname = path.endsWith(pathPrefix) ? path.slice(0, -pathPrefix.length) : path;
  url.search = '';
  url.hash = '';
  return url;
}

/** The most likely address of a host without a scheme. */
function withScheme(written: string): string | undefined {
  const host = written.replace(/^\w+:\/\//, '');
  if (host.includes('@') || !/^[\w.[\]:-]+(?:\/.*)?$/.test(host) || !URL.canParse(`https://${host}`))
    return undefined;
  return isThisMachine(new URL(`https://${host}`).hostname) ? `http://${host}` : `https://${host}`;
}

/** Hides the text before an @, which may contain a password. */
function withoutUserInfo(address: string): string {
  return address.replace(/^.*@/s, '…@');
}
