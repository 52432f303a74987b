import * as z from 'zod';
import { isJsonObject } from '../../base/json.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import { bodyOf } from '../../contract/operations.ts';
import { arrayNames } from '../../contract/query-codecs.ts';
import { parseQuery } from '../../contract/query-string.ts';
import type { BadEntry, HandlerCall, RouteRow } from '../rules/handlers.ts';
import { validationIssues } from '../rules/issues.ts';
import { invalid, type RefusedRequest, refused } from '../state/outcome.ts';

/** A request as received. Header names are in lower case. */
export interface RawRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | undefined;
}

type DecodedCall = HandlerCall<string, unknown, unknown>;
type Decoded<T> = { readonly kind: 'decoded'; readonly value: T } | RefusedRequest;

const noQuery: z.ZodObject = z.strictObject({});

/**
 * Decodes query and body with the schemas of the row, or refuses them with issues in the document's shape (API 7).
 * Unknown parameters and fields are refused or ignored (assumption `unknownFields`).
 */
export function decodeCall(
  row: RouteRow,
  parameters: Readonly<Record<string, string>>,
  request: RawRequest,
  assumptions: Assumptions,
): Decoded<DecodedCall> {
  const query = decodeQuery(row, searchOf(request.path), assumptions);
  if (query.kind === 'refused') return query;
  const body = decodeBody(row, request, assumptions);
  if (body.kind === 'refused') return body;
  return { kind: 'decoded', value: { parameters, query: query.value, ...body.value } };
}

function searchOf(path: string): string {
  const start = path.indexOf('?');
  return start === -1 ? '' : path.slice(start);
}

function decodeQuery(row: RouteRow, search: string, assumptions: Assumptions): Decoded<unknown> {
  const schema = row.query ?? noQuery;
  const texts = parseQuery(search, arrayNames(schema), assumptions.arrayQuery);
  const decoded = readBy(schema, texts, assumptions);
  if (decoded.success) return { kind: 'decoded', value: decoded.data };
  return refused('invalid', validationIssues('query', decoded.error.issues));
}

type Body = Pick<DecodedCall, 'body' | 'badEntries'>;

function decodeBody(row: RouteRow, { headers, body }: RawRequest, assumptions: Assumptions): Decoded<Body> {
  const isEmpty = body === undefined || body.trim() === '';
  const schema = bodyOf(row, assumptions);
  if (!schema) {
    if (isEmpty) return { kind: 'decoded', value: { body: undefined, badEntries: [] } };
    return invalid(['body'], 'this operation does not accept a body', 'extra_forbidden');
  }
  if (isEmpty) return invalid(['body'], 'this operation requires a body', 'missing');
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    return refused('unsupported-media-type', [
      { loc: ['header', 'content-type'], msg: 'expected application/json', type: 'content_type' },
    ]);
  }
  const json = parseJson(body);
  if (json.kind === 'refused') return json;
  const decoded = readBy(schema, json.value, assumptions);
  if (decoded.success) return { kind: 'decoded', value: { body: decoded.data, badEntries: [] } };
  const { issues } = decoded.error;
  const canFailAlone = issues.every(({ path }) => typeof path[0] === 'number');
  if (assumptions.bulkBadEntry === 'fail-job' && canFailAlone && Array.isArray(json.value)) {
    return withoutBadEntries(schema, json.value, issues);
  }
  return refused('invalid', validationIssues('body', issues));
}

/** Parses with the schema. Unknown fields are ignored if the assumption `unknownFields` says so. */
function readBy(schema: z.ZodType, value: unknown, { unknownFields }: Assumptions) {
  const read = schema.safeParse(value, { reportInput: true });
  if (read.success || unknownFields === 'refuse') return read;
  return schema.safeParse(withoutUnknown(value, read.error.issues), { reportInput: true });
}

/** Copies a value without the keys that the issues report as unknown. */
function withoutUnknown(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const holder = issue.path.reduce<unknown>((at, key) => Reflect.get(Object(at), key), copy);
    for (const key of issue.keys) Reflect.deleteProperty(Object(holder), key);
  }
  return copy;
}

function parseJson(text: string): Decoded<unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return { kind: 'decoded', value };
  } catch (error) {
    return invalid(['body'], `not JSON: ${String(error)}`, 'json_invalid');
  }
}

/** Separates the valid entries from the bad ones, which keep their first issue (assumption `bulkBadEntry`). */
function withoutBadEntries(
  schema: z.ZodType,
  entries: readonly unknown[],
  issues: readonly z.core.$ZodIssue[],
): Decoded<Body> {
  const bad = new Map<number, BadEntry>();
  for (const { loc, msg } of validationIssues('body', issues)) {
    const index = Number(loc[1]);
    if (bad.has(index)) continue;
    const entry = entries[index];
    const originId = isJsonObject(entry) && typeof entry['originId'] === 'string' ? entry['originId'] : null;
    bad.set(index, { index, originId, reason: `${loc.slice(2).join('.')}: ${msg}` });
  }
  const body = schema.parse(entries.filter((_, index) => !bad.has(index)));
  const badEntries = [...bad.values()].sort((a, b) => a.index - b.index);
  return { kind: 'decoded', value: { body, badEntries } };
}
