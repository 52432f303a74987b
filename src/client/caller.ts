import * as z from 'zod';
import { Failure, isInterruption } from '../base/failure.ts';
import { isDeeperThan, isJsonObject, type Json, levelsMaximum } from '../base/json.ts';
import { kebabCase } from '../base/name-case.ts';
import type { Assumptions } from '../contract/assumptions.ts';
import {
  bodyOf,
  type Operation,
  type OperationName,
  type Operations,
  operations,
  optInOperations,
  pathParameters,
} from '../contract/operations.ts';
import { isPathSegment } from '../contract/path-segment.ts';
import { formatQuery, type QueryTexts } from '../contract/query-string.ts';
import { type Refutation, refutationsIn } from '../contract/reply-checks.ts';
import { isExact } from '../contract/reply-forms.ts';
import type { Method, Transport, WireReply, WireRequest } from '../contract/wire.ts';
import { TransportError } from '../contract/wire.ts';
import { LineReader, type PageLines, type RecordLines } from './page-lines.ts';
import { invalidUtf8In, withExactAmounts } from './reply-loss.ts';
import { failureOfBody, failureOfReply, failureOfTransport } from './service-failure.ts';

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
type ParamsOf<O extends Operation> = { readonly [Name in NamesIn<O['path']>]: string };
type QueryOf<O> = O extends { readonly query: infer Q extends z.ZodType } ? Partial<z.output<Q>> : never;
type BodyOf<O> = O extends { readonly extraBody: infer B extends z.ZodType }
  ? Frozen<z.input<B>>
  : O extends { readonly body: infer B extends z.ZodType }
    ? Frozen<z.input<B>>
    : never;

/** A body composed of JSON texts, each created from a record that the document allows. */
export class JsonBody {
  readonly text: string;
  #value: unknown;

  constructor(text: string) {
    this.text = text;
  }

  /** The value of the text. */
  get value(): unknown {
    this.#value ??= JSON.parse(this.text);
    return this.#value;
  }
}

type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;

/** The input of an operation: path parameters, query and body, each if the operation has it. */
export type CallInput<O extends Operation> = ([NamesIn<O['path']>] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: ParamsOf<O> }) &
  ([QueryOf<O>] extends [never] ? { readonly query?: undefined } : { readonly query?: QueryOf<O> }) &
  ([BodyOf<O>] extends [never]
    ? { readonly body?: undefined }
    : { readonly body: BodyOf<O> | (BodyOf<O> extends readonly unknown[] ? JsonBody : never) });

/** The input of any operation, for callers that know its name only at run time. */
export interface LooseInput {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/**
 * A reply in two forms: `value` as decoded by the contract, `sent` as the service wrote it, with unknown
 * fields. Both are the same object if the service wrote exactly the documented form.
 */
export interface Received<T> {
  readonly value: T;
  readonly sent: Json;
  /** The number of records omitted from a page because they are unreadable: they have no id. */
  readonly unreadable?: number;
  /** The service's time of the reply, in milliseconds since the epoch; undefined if the reply has none. */
  readonly serviceMs?: number;
  /** The records of a page requested by `callForLines`; `value` and `sent` then have none. */
  readonly lines?: RecordLines;
}

/** The service, typed by the table of operations. */
export interface Api {
  readonly assumptions: Assumptions;
  /**
   * Calls an operation once. If an update succeeds without returning the record, a read of the record follows. If no
   * operation reads it, or the run stops before, the reply is its id.
   * @throws ServiceFailure for a missing reply, and for any reply other than the documented one.
   * @throws Failure('usage') for input that the document does not allow, before anything is sent.
   */
  call<N extends OperationName>(
    name: N,
    input: CallInput<Operations[N]>,
    signal?: AbortSignal,
  ): Promise<Received<z.output<Operations[N]['reply']>>>;
  /**
   * Calls a list operation for a caller that prints the records unchanged: as `lines`, if they are written exactly as
   * they would be printed. Some pages are also decoded, to check the assumptions.
   */
  callForLines<N extends OperationName>(
    name: N,
    input: CallInput<Operations[N]>,
    signal?: AbortSignal,
  ): Promise<Received<z.output<Operations[N]['reply']>>>;
  /** True if an operation may be called: a documented one, or an opt-in one with its setting. */
  supports(name: OperationName): boolean;
}

export interface ApiOptions {
  readonly transport: Transport;
  readonly assumptions: Assumptions;
  /** Called with a refutation if a reply contradicts an assumption. */
  readonly onRefutation?: ((refutation: Refutation) => void) | undefined;
  /** Called with the place of the first invalid UTF-8 in a decoded reply. */
  readonly onInvalidUtf8?: ((operation: OperationName, finding: string) => void) | undefined;
}

/** Pages printed unchanged are decoded only for checks: the first ones, then a sample. */
const pagesCheckedFirst = 4;
const pagesCheckedEvery = 64;

export function createApi({ transport, assumptions, onRefutation, onInvalidUtf8 }: ApiOptions): Api {
  const lineReader = new LineReader();
  const pages = new Map<OperationName, number>();
  const isChecked = (name: OperationName, asLines: boolean) => {
    if (!asLines) return true;
    const count = (pages.get(name) ?? 0) + 1;
    pages.set(name, count);
    return count <= pagesCheckedFirst || count % pagesCheckedEvery === 0;
  };
  const supports = (name: OperationName) => !isOptIn(name) || assumptions[name] !== undefined;
  const exchange = async (
    name: OperationName,
    input: LooseInput,
    signal: AbortSignal | undefined,
    asLines = false,
  ): Promise<Received<unknown>> => {
    const row = resolveOperation(name, assumptions);
    const request = encodeRequest(name, row, input, assumptions);
    const reply = await send(transport, request, signal);
    const check = ({ value, unreadable }: Partial<Received<unknown>>) => {
      if (onRefutation === undefined) return;
      const { query, body } = input;
      const { status } = reply;
      // A composed body is parsed only for a refusal that may concern its size.
      const asked = body instanceof JsonBody && !isSuccess(status) ? body.value : body;
      const exchange = { operation: name, query, body: asked, status, value, unreadable };
      refutationsIn(exchange, assumptions).forEach(onRefutation);
    };
    if (!isSuccess(reply.status)) check({});
    if (!isUpdatedWithoutRecord(request, reply)) {
      const sample = isChecked(name, asLines) ? decodeReply(row, request, reply) : undefined;
      if (sample !== undefined) check(sample);
      // Only after the sample is decoded, since this overwrites the bytes.
      const page = asLines ? linesOf(reply, lineReader) : undefined;
      if (page !== undefined) return { ...decodeJson(row, request, reply, page.envelope), lines: page.lines };
      const received = sample ?? decodeReply(row, request, reply);
      if (sample === undefined && received.unreadable !== undefined) check(received);
      const invalid = onInvalidUtf8 && invalidUtf8In(reply);
      if (invalid !== undefined) onInvalidUtf8?.(name, invalid);
      return received;
    }
    const reader = readerOf(row);
    const [id] = Object.values(input.params ?? {});
    const updated = { value: { id }, sent: { id } };
    if (reader === undefined || !supports(reader)) return updated;
    try {
      return await exchange(reader, { params: input.params }, signal);
    } catch (error) {
      // The update is complete, even if the run ends before the record is read.
      if (isInterruption(error)) return updated;
      throw error;
    }
  };
  return {
    assumptions,
    // The only cast of the generic caller: the operation's own schema produced the value.
    call: (name, input, signal) => exchange(name, input as LooseInput, signal) as Promise<Received<never>>,
    callForLines: (name, input, signal) =>
      exchange(name, input as LooseInput, signal, true) as Promise<Received<never>>,
    supports,
  };
}

/**
 * True if an update succeeded without returning the record: 204, an empty body, or null (API 4 shows no status codes).
 */
function isUpdatedWithoutRecord({ method }: WireRequest, reply: WireReply): boolean {
  const isUpdate = method === 'PATCH' || method === 'PUT';
  return isUpdate && isSuccess(reply.status) && ['', 'null'].includes(reply.body.trim());
}

/** The operation that reads an updated record: it has the same path. */
function readerOf({ path }: Operation): OperationName | undefined {
  const names = Object.keys(operations) as OperationName[];
  return names.find((name) => operations[name].method === 'GET' && operations[name].path === path);
}

/**
 * The row of an operation. An opt-in one has its method and path from its setting.
 * @throws Failure('config') for an opt-in operation without a setting.
 */
export function resolveOperation(name: OperationName, assumptions: Assumptions): Operation {
  const row: Operation = operations[name];
  if (!isOptIn(name)) return row;
  const setting = assumptions[name];
  if (setting === undefined) {
    throw new Failure(
      'config',
      `the API document shows no operation to ${row.purpose}`,
      `if your service has one, set it: -c '${kebabCase(name)}=${row.method} ${row.path}'`,
    );
  }
  const [method, path = ''] = setting.split(' ');
  return { ...row, method: method as Method, path };
}

/**
 * Encodes the request of one call, without the credential.
 * @throws Failure('usage') for params, query or body that the operation does not accept; the message names the field.
 */
export function encodeRequest(
  name: string,
  row: Operation,
  input: LooseInput,
  assumptions: Pick<Assumptions, 'arrayQuery'> & Partial<Pick<Assumptions, 'bulkExtraFields'>>,
): WireRequest {
  const path = fillPath(name, row.path, input.params ?? {});
  const query = encodeQuery(name, row.query ?? { shape: {} }, input.query ?? {});
  const body = checkedBody(name, bodyOf(row, assumptions), input.body);
  return {
    operation: name,
    isRepeatable: row.isRepeatable,
    method: row.method,
    path: path + wellFormed(name, () => formatQuery(query, assumptions.arrayQuery)),
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
  };
}

/**
 * Decodes a reply by the operation's schema.
 * @throws ServiceFailure for any status but 2xx, and for a body that is not JSON or has another shape.
 */
export function decodeReply(row: Operation, request: WireRequest, reply: WireReply): Received<unknown> {
  if (!isSuccess(reply.status)) throw failureOfReply(request, reply);
  let sent: Json;
  try {
    sent = JSON.parse(withExactAmounts(withoutByteOrderMark(reply.body))) as Json;
  } catch {
    throw failureOfBody(request, reply, describeForeignBody(reply));
  }
  if (isDeeperThan(sent, levelsMaximum)) {
    throw failureOfBody(request, reply, `it is nested more than ${levelsMaximum} levels deep`);
  }
  return decodeJson(row, request, reply, sent);
}

function decodeJson(row: Operation, request: WireRequest, reply: WireReply, sent: Json): Received<unknown> {
  const time = serviceTime(reply);
  if (isExact(row.reply, sent)) return { value: sent, sent, ...time };
  const read = z.safeDecode(row.reply, sent as never);
  if (read.success) return { value: read.data, sent, ...time };
  const part = readableRecords(row, sent);
  if (part === undefined) throw failureOfBody(request, reply, describeIssues(read.error));
  return { ...part, ...time };
}

function linesOf({ status, bytes }: WireReply, reader: LineReader): PageLines | undefined {
  return isSuccess(status) && bytes !== undefined ? reader.readLines(bytes) : undefined;
}

/** A page without its unreadable records, so that the others are kept; undefined if the page itself is unreadable. */
function readableRecords({ reply }: Operation, sent: Json): Received<unknown> | undefined {
  if (!(reply instanceof z.ZodObject) || !(reply.shape['data'] instanceof z.ZodArray)) return undefined;
  if (!isJsonObject(sent) || !Array.isArray(sent['data'])) return undefined;
  const { element } = reply.shape['data'];
  const records = sent['data'] as readonly Json[];
  const readable = records.filter((record) => z.safeDecode(element as z.ZodType, record).success);
  const page = { ...sent, data: readable };
  const read = z.safeDecode(reply, page);
  return read.success
    ? { value: read.data, sent: page, unreadable: records.length - readable.length }
    : undefined;
}

/** The time in the Date header, to the second. */
function serviceTime({ headers }: WireReply): Pick<Received<unknown>, 'serviceMs'> {
  const serviceMs = Date.parse(headers['date'] ?? '');
  return Number.isNaN(serviceMs) ? {} : { serviceMs };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function withoutByteOrderMark(body: string): string {
  return body.startsWith('\uFEFF') ? body.slice(1) : body;
}

async function send(
  transport: Transport,
  request: WireRequest,
  signal: AbortSignal | undefined,
): Promise<WireReply> {
  try {
    return await transport(request, signal);
  } catch (error) {
    if (error instanceof TransportError) throw failureOfTransport(request, error);
    throw error;
  }
}

function isOptIn(name: OperationName): name is keyof typeof optInOperations {
  return name in optInOperations;
}

function fillPath(name: string, path: string, params: Readonly<Record<string, string>>): string {
  const known = pathParameters(path);
  const unknown = Object.keys(params).find((parameter) => !known.includes(parameter));
  if (unknown !== undefined) throw new Failure('usage', `${name}: has no path parameter '${unknown}'`);
  return path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = params[parameter];
    if (value === undefined || !isPathSegment(value)) {
      throw new Failure('usage', `${name}: ${parameter} must be an id, not '${value ?? ''}'`);
    }
    return encodeURIComponent(value);
  });
}

/** Encodes only the present parameters: most calls use two of twenty. */
function encodeQuery(
  name: string,
  { shape }: Pick<z.ZodObject, 'shape'>,
  query: Readonly<Record<string, unknown>>,
): QueryTexts {
  const unknown = Object.keys(query).find((parameter) => !Object.hasOwn(shape, parameter));
  if (unknown !== undefined) throw new Failure('usage', `${name}: Unrecognized key: "${unknown}"`);
  const texts = Object.entries(shape).flatMap(([parameter, schema]) => {
    if (query[parameter] === undefined) return [];
    const { data, error } = z.safeEncode(schema, query[parameter]);
    if (error === undefined) return [[parameter, data]];
    throw new Failure('usage', `${name}: ${describeIssues(error, [parameter])}`);
  });
  return Object.fromEntries(texts);
}

/** Rejects a lone surrogate, which is valid in a JSON string but not in a URL. */
function wellFormed(name: string, encode: () => string): string {
  try {
    return encode();
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new Failure('usage', `${name}: a value contains half of a character, which cannot be sent`);
  }
}

function checkedBody(name: string, schema: z.ZodType | undefined, body: unknown): string | undefined {
  if (body instanceof JsonBody) return body.text;
  if (schema === undefined) {
    if (body === undefined) return undefined;
    throw new Failure('usage', `${name}: takes no body`);
  }
  const checked = schema.safeParse(body);
  if (!checked.success) throw new Failure('usage', `${name}: ${describeIssues(checked.error)}`);
  // Sends the body as provided: the parsed copy would contain the service's defaults.
  return body === undefined ? undefined : JSON.stringify(body);
}

function describeIssues(error: z.ZodError, path: readonly string[] = []): string {
  const [first] = error.issues;
  if (first === undefined) return 'it has another shape than the document shows';
  const where = [...path, ...first.path.map(String)].join('.');
  return where === '' ? first.message : `${where}: ${first.message}`;
}

function describeForeignBody({ headers, body }: WireReply): string {
  if (body.trim() === '') return 'it is empty';
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return `it is compressed (${encoding}), incomplete, or too large`;
  const type = headers['content-type']?.split(';')[0];
  return /^\s*</.test(body) || type?.includes('html')
    ? 'it is a web page, not JSON'
    : 'it is not complete JSON';
}
