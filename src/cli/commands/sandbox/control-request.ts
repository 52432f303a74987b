import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { decodeReply } from '../../../client/caller.ts';
import type { Service } from '../../../client/open-service.ts';
import { failureOfBody, failureOfTransport } from '../../../client/service-failure.ts';
import { TransportError, type WireRequest } from '../../../contract/wire.ts';
import { controlTable } from '../../../sandbox/control/control-table.ts';

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
  const operation = `sandbox ${name}`;
  const isRepeatable = method === 'GET' || method === 'PUT';
  const request: WireRequest = {
    operation,
    isRepeatable,
    method,
    path,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  const received = await service.transport(request).catch((error: unknown) => {
    throw error instanceof TransportError ? failureOfTransport(request, error) : error;
  });
  if (received.status === 404) {
    throw new Failure(
      'config',
      'the service at this address is not a sandbox',
      hint`start one: ${reviewctl`sandbox serve`}`,
    );
  }
  const row = { purpose: operation, method, path, isRepeatable, reply: z.unknown() };
  const read = reply.safeParse(decodeReply(row, request, received).sent);
  if (read.success) return read.data;
  throw failureOfBody(request, received, 'a sandbox does not answer like this');
}
