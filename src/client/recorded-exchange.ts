import * as z from 'zod';
import { Failure } from '../base/failure.ts';
import type { Assumptions } from '../contract/assumptions.ts';
import type { Exchange } from '../contract/exchange.ts';
import {
  endsInPath,
  type Operation,
  type OperationName,
  operations,
  optInOperations,
} from '../contract/operations.ts';
import { arrayNames } from '../contract/query-codecs.ts';
import { isOfStyle, parseQuery } from '../contract/query-string.ts';
import type { WireReply } from '../contract/wire.ts';
import { decodeReply, exchangeOf, resolveOperation } from './caller.ts';

/** A request and its reply as a recording stores them. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: URL;
  /** JSON text. */
  readonly body: string | undefined;
  readonly reply: WireReply;
}

/**
 * The part of a recorded exchange that assumptions are checked against; undefined for a request that is no
 * operation of the service. A query in another array style than the assumed one is left out, because it
 * proves nothing about that style.
 */
export function exchangeOfRecord(
  { method, url, body, reply }: RecordedRequest,
  assumptions: Assumptions,
): Exchange | undefined {
  const name = operationAt(method, url.pathname, assumptions);
  if (name === undefined) return undefined;
  const row = rowOf(name, assumptions);
  const query = queryOf(row, url.search, assumptions);
  return exchangeOf(name, { query, body: parsed(body) }, reply, received(row, name, reply));
}

/** The operation at the end of a path, after any prefix and `/admin/v2`. */
function operationAt(method: string, path: string, assumptions: Assumptions): OperationName | undefined {
  const names = Object.keys(operations) as OperationName[];
  return names.find((name) => {
    const row = rowOf(name, assumptions);
    return row.method === method && endsInPath(path, row.path);
  });
}

/** The row of an operation; for an opt-in one without setting, the row of the sandbox. */
function rowOf(name: OperationName, assumptions: Assumptions): Operation {
  const isSet = Object.entries(assumptions).some(
    ([setting, value]) => setting === name && value !== undefined,
  );
  return isSet || !Object.hasOwn(optInOperations, name)
    ? resolveOperation(name, assumptions)
    : operations[name];
}

function queryOf({ query }: Operation, search: string, { arrayQuery }: Assumptions): Exchange['query'] {
  if (query === undefined) return undefined;
  const names = arrayNames(query);
  if (!isOfStyle(search, names, arrayQuery)) return undefined;
  const read = z.safeDecode(query, parseQuery(search, names, arrayQuery));
  return read.success ? read.data : undefined;
}

function received(row: Operation, operation: string, reply: WireReply): Partial<Exchange> {
  const request = {
    operation,
    isRepeatable: true,
    method: row.method,
    path: row.path,
    headers: {},
    body: undefined,
  };
  try {
    return decodeReply(row, request, reply);
  } catch (error) {
    if (error instanceof Failure) return {};
    throw error;
  }
}

function parsed(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}
