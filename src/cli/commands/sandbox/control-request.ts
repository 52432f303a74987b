import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { decodeReply } from '../../../client/caller.ts';
import type { Service } from '../../../client/open-service.ts';
import { failureOfBody, ServiceFailure } from '../../../client/service-failure.ts';
import { controlTable } from '../../../sandbox/control/control-table.ts';
import { rawRequest, sendRaw } from '../raw-call.ts';

/** What a sandbox answers: one record, or a list of them. */
const controlRecord = z.custom<JsonObject>(isJsonObject);
export const controlRecords = z.array(controlRecord);

/**
 * Asks a running sandbox for something outside the API document, which it answers with what `reply` describes.
 * @throws Failure('config') where the service at that address is no sandbox; ServiceFailure as every call.
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
