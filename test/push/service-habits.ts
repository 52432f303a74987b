import { type Transport, TransportError, type WireReply, type WireRequest } from '../../src/contract/wire.ts';

/* Habits of services that the sandbox does not have, as wrappers of a transport. */

export type Habit = (transport: Transport) => Transport;

/** Refuses a bulk request with a poisoned entry; with `isNaming`, the reply names the entries. */
export function refusing(isPoisoned: (originId: string) => boolean, isNaming: boolean): Habit {
  return (transport) => async (request, signal) => {
    const poisoned = entryIdsOf(request).flatMap((originId, index) => (isPoisoned(originId) ? [index] : []));
    if (poisoned.length === 0) return transport(request, signal);
    const detail = isNaming
      ? poisoned.map((index) => ({ loc: ['body', index, 'originId'], msg: 'is not allowed', type: 'value' }))
      : 'one of the entries is not allowed';
    return jsonReply(422, { detail });
  };
}

/** Performs requests and loses the replies for which `isLost` is true; counts requests from 1. */
export function losingAnswers(isLost: (request: WireRequest, count: number) => boolean): Habit {
  return (transport) => {
    let count = 0;
    return async (request, signal) => {
      count += 1;
      const isThisLost = isLost(request, count);
      const reply = await transport(request, signal);
      if (isThisLost) throw new TransportError('the connection was reset', true);
      return reply;
    };
  };
}

/** Answers `count` requests, then loses all further ones. */
export function dyingAfter(count: number): Habit {
  return (transport) => {
    let left = count;
    return (request, signal) => {
      left -= 1;
      return left >= 0
        ? transport(request, signal)
        : Promise.reject(new TransportError('the connection was reset', true));
    };
  };
}

export function losingRequests(count: number, operation: string): Habit {
  return (transport) => {
    let left = count;
    return (request, signal) => {
      if (request.operation !== operation || left === 0) return transport(request, signal);
      left -= 1;
      return Promise.reject(new TransportError('the connection was reset', true));
    };
  };
}

/** Answers `count` requests, then each with `status`. */
export function answeringAfter(count: number, status: number): Habit {
  return (transport) => {
    let left = count;
    return async (request, signal) => {
      left -= 1;
      return left >= 0 ? transport(request, signal) : jsonReply(status, { detail: 'no' });
    };
  };
}

/** Calls `act` when request number `count` arrives, before it is forwarded. */
export function actingAt(count: number, act: () => void): Habit {
  return (transport) => {
    let arrived = 0;
    return (request, signal) => {
      arrived += 1;
      if (arrived === count) act();
      return transport(request, signal);
    };
  };
}

/** The originIds of the entries of a bulk request; empty for other requests. */
export function entryIdsOf({ path, body }: WireRequest): string[] {
  if (!path.endsWith('/bulk') || body === undefined) return [];
  const entries: readonly { readonly originId: string }[] = JSON.parse(body);
  return entries.map(({ originId }) => originId);
}

function jsonReply(status: number, document: object): WireReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(document) };
}
