import { Failure } from '../../base/failure.ts';

/** A monitor: its kind and its address. */
export interface PingTarget {
  /** `plain`: GET after success; `healthchecks`: also the start and every exit code, with a body. */
  readonly kind: 'plain' | 'healthchecks';
  readonly url: URL;
}

const uuidAtEnd = /\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/?$/i;

/**
 * The monitor of the setting ping. An address belongs to healthchecks if it ends in a UUID, as their addresses do, or
 * is written `healthchecks:https://…`, for addresses with a slug; `get:https://…` is always plain.
 * @throws Failure('usage') for an invalid address. The message does not repeat it: anyone who knows it can silence the
 * alarm.
 */
export function pingTarget(text: string): PingTarget {
  const [, prefix, address = ''] = /^(healthchecks:|get:)?(.*)$/s.exec(text) ?? [];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Failure(
      'usage',
      'the setting ping: this is not an address',
      'pass the whole address of the monitor: https://…, or healthchecks:https://… for one with a slug',
    );
  }
  const isHealthchecks = prefix === 'healthchecks:' || (prefix === undefined && uuidAtEnd.test(url.pathname));
  return { kind: isHealthchecks ? 'healthchecks' : 'plain', url };
}

/** The healthchecks address for one event of a run: `start`, or its exit code. `rid` identifies the run there. */
export function healthchecksUrl(url: URL, event: string, rid: string): URL {
  const called = new URL(url);
  called.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${event}`;
  called.searchParams.set('rid', rid);
  return called;
}
