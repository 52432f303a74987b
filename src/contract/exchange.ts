import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { OperationName } from './operations.ts';
import { readErrorDetail, type ValidationIssue } from './validation-error.ts';

/** The parts of a request and its reply that assumptions are checked against. */
export interface Exchange {
  readonly operation: OperationName;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** The requested body. */
  readonly body?: unknown;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a refusal. */
  readonly refusal?: string;
  /** The body of a success, as the service wrote it. */
  readonly sent?: Json;
  /** The body of a success, as decoded by the contract. */
  readonly value?: unknown;
  /** The number of records left out of a page because they are unreadable. */
  readonly unreadable?: number;
}

/** The reasons for refusing single values (API 7). */
export function issuesOf({ refusal }: Exchange): readonly ValidationIssue[] {
  return refusal === undefined ? [] : readErrorDetail(refusal).issues;
}

/** The records of a list, or the record itself, as the service wrote them. */
export function sentRecords({ sent }: Exchange): readonly JsonObject[] {
  const data = isJsonObject(sent) && Array.isArray(sent['data']) ? sent['data'] : [sent];
  return (data as readonly Json[]).filter(isJsonObject);
}

/** The entries of a bulk request, or the body itself. */
export function askedEntries({ body }: Exchange): readonly JsonObject[] {
  return (Array.isArray(body) ? body : [body]).filter(isJsonObject);
}
