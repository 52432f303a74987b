import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { failureOfReply, failureOfTransport } from '../../client/service-failure.ts';
import { type Method, TransportError, type WireReply, type WireRequest } from '../../contract/wire.ts';
import type { View } from '../../output/views/view.ts';
import type { Session } from '../runtime/session.ts';

const methods: readonly Method[] = ['GET', 'POST', 'PATCH', 'PUT'];

/** The HTTP method in `word`, in any case; undefined for the name of an operation. */
export function methodNamed(word: string): Method | undefined {
  return methods.find((method) => method === word.toUpperCase());
}

/** A call without an operation, as typed. */
interface RawCall {
  readonly method: Method;
  readonly path: string | undefined;
  /** Each as `NAME=VALUE`. */
  readonly query: readonly string[];
  /** JSON text. */
  readonly body: string | undefined;
}

/**
 * The request of a call that need not be in the API document.
 * @throws Failure('usage') for a path that is not below the address of the service, and for a parameter without value.
 */
export function rawRequest({ method, path = '', query, body }: RawCall): WireRequest {
  const [pathname = '', ownQuery] = path.split(/\?(.*)/s);
  checkPath(method, path);
  const pairs = [...(ownQuery === undefined ? [] : [ownQuery]), ...query.map(encodedPair)];
  return {
    operation: `${method} ${pathname}`,
    isRepeatable: method === 'GET',
    method,
    path: pairs.length === 0 ? pathname : `${pathname}?${pairs.join('&')}`,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
  };
}

/** Accepts only a path that URL parsing leaves unchanged: no other host, no parent folder, no blank. */
function checkPath(method: Method, path: string): void {
  const address = `http://service.invalid${path}`;
  if (/^\/(?![/\\])/.test(path) && URL.canParse(address)) {
    const { pathname, search } = new URL(address);
    if (pathname + search === path) return;
  }
  throw new Failure(
    'usage',
    path === '' ? `${method} needs a path` : `'${path}' is not a path below the address of the service`,
    hint`for example: ${reviewctl`api ${method} /admin/v2/reviews --query first=1`}`,
  );
}

function encodedPair(pair: string): string {
  const at = pair.indexOf('=');
  if (at > 0) {
    return `${encodeURIComponent(pair.slice(0, at))}=${encodeURIComponent(pair.slice(at + 1))}`;
  }
  throw new Failure('usage', `--query: '${pair}' is not NAME=VALUE`, 'write it as --query name=value');
}

/**
 * Sends a request and returns its reply without decoding it.
 * @throws ServiceFailure for a missing reply, and for every status but 2xx.
 */
export async function sendRaw(
  { transport }: Pick<Session, 'transport'>,
  request: WireRequest,
  signal: AbortSignal | undefined,
): Promise<WireReply> {
  let reply: WireReply;
  try {
    reply = await transport(request, signal);
  } catch (error) {
    if (error instanceof TransportError) throw failureOfTransport(request, error);
    throw error;
  }
  if (reply.status >= 200 && reply.status < 300) return reply;
  throw failureOfReply(request, reply);
}

/** The records in a reply: those of a page, of a list, or the reply itself. */
export function recordsIn(reply: Json): readonly JsonObject[] {
  const found = isJsonObject(reply) && Array.isArray(reply['data']) ? reply['data'] : reply;
  return [found].flat().map((record) => (isJsonObject(record) ? record : { value: record as Json }));
}

/** A view of records of an unknown kind: the chosen fields, else those of the first record. */
export function viewOf(first: JsonObject | undefined, fields: readonly string[] | undefined): View {
  const paths = fields ?? Object.keys(first ?? {});
  return {
    noun: 'record',
    id: 'id',
    csvColumns: paths,
    columns: paths.map((path) => ({ header: path, path, isOptional: path !== 'id' })),
  };
}
