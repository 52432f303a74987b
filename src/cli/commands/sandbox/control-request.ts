import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { decodeReply } from '../../../client/caller.ts';
import type { Service } from '../../../client/open-service.ts';
import { failureOfBody, ServiceFailure } from '../../../client/service-failure.ts';
import { controlTable } from '../../../sandbox/control/control-table.ts';
import { rawRequest, sendRaw } from '../raw-call.ts';

/** A reply of the sandbox: one record, or a list. */
const controlRecord = z.custom<JsonObject>(isJsonObject);
export const controlRecords = z.array(controlRecord);

/**
 * Sends a running sandbox a request outside the API document; the reply must match `reply`.
 * @throws Failure('config') if the service at that address is not a sandbox; ServiceFailure as every call.
 */
export async function controlRequest<T>(
  service: Service,
  name: keyof typeof controlTable,
  reply: z.ZodType<T>,
  body?: Json,
): Promise<T> {
  const { method, path } = controlTable[name];
  const request = {
    ...rawRequest({ method, path, query: [], body: body === undefined ? undefined : JSON.stringify(body) }),
    operation: `sandbox ${name}`,
    isRepeatable: method === 'GET' || method === 'PUT',
  };
  const received = await sendRaw(service, request, undefined).catch((error: unknown) => {
    throw error instanceof ServiceFailure && error.place.status === 404 ? notASandbox() : error;
  });
  const { operation, isRepeatable } = request;
  const row = { purpose: operation, method, path, isRepeatable, reply: z.unknown() };
  const read = reply.safeParse(decodeReply(row, request, received).sent);
  if (read.success) return read.data;
  throw failureOfBody(request, received, 'a sandbox does not answer like this');
}

function notASandbox(): Failure {
  return new Failure(
    'config',
    'the service at this address is not a sandbox',
    hint`start one: ${reviewctl`sandbox serve`}`,
  );
}
