import { redactHeaders } from '../base/redact.ts';
import type { WireReply } from '../contract/wire.ts';
import type { RecordedExchange } from './record.ts';
import type { RedactPersons } from './redact-persons.ts';

const leftOut = 'left out: no JSON, so it may hold anything';

/**
 * An exchange as an entry of HAR 1.2, without the credential and personal data; a field of our own names the
 * operation. `address` is the part of the URL before each path.
 */
export function harEntry(exchange: RecordedExchange, address: string, redact: RedactPersons): object {
  const { request, startedAtMs, tookMs, reply } = exchange;
  const body = typeof reply === 'string' ? undefined : reply.body;
  const { path, asked, answered } = redact({ path: request.path, asked: request.body, answered: body });
  const url = address + path;
  const wire = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
  return {
    startedDateTime: new Date(startedAtMs).toISOString(),
    time: tookMs,
    request: {
      method: request.method,
      url,
      ...wire,
      headers: pairsOf(redactHeaders(request.headers)),
      queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
      ...(request.body === undefined
        ? {}
        : { postData: { mimeType: 'application/json', text: asked ?? '' } }),
      bodySize: Buffer.byteLength(request.body ?? ''),
    },
    response: { ...wire, ...(typeof reply === 'string' ? noResponse(reply) : responseOf(reply, answered)) },
    cache: {},
    timings: { send: 0, wait: tookMs, receive: 0 },
    _operation: request.operation,
  };
}

function responseOf({ status, headers, body }: WireReply, text: string | undefined) {
  const size = Buffer.byteLength(body);
  const isLeftOut = text === undefined && size > 0;
  return {
    status,
    statusText: '',
    headers: pairsOf(shownHeaders(headers)),
    content: {
      size,
      mimeType: headers['content-type'] ?? '',
      ...(text === undefined ? {} : { text }),
      ...(isLeftOut ? { comment: leftOut } : {}),
    },
    redirectURL: '',
    bodySize: size,
  };
}

/** HAR writes 0 where there was no reply. */
function noResponse(comment: string) {
  return {
    status: 0,
    statusText: '',
    headers: [],
    content: { size: 0, mimeType: '' },
    redirectURL: '',
    bodySize: -1,
    comment,
  };
}

/**
 * Headers whose values are recorded; others may contain anything, such as an address with personal data in
 * its query.
 */
const plainHeaders: ReadonlySet<string> = new Set([
  ...['allow', 'connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive'],
  ...['retry-after', 'server', 'transfer-encoding', 'via', 'x-request-id'],
]);

function shownHeaders(headers: WireReply['headers']): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    plainHeaders.has(name) ? value : '[redacted]',
  ]);
  return Object.fromEntries(shown);
}

function pairsOf(headers: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
