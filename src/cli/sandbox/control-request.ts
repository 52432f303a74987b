import { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import type { Service } from '../../client/open-service.ts';
import { failureOfReply, failureOfTransport } from '../../client/service-failure.ts';
import { TransportError, type WireRequest } from '../../contract/wire.ts';
import { controlTable } from '../../sandbox/control.ts';

/**
 * Asks a running sandbox for something outside the API document.
 * @throws Failure('config') where the service at that address is no sandbox; ServiceFailure as every call.
 */
export async function controlRequest(
  service: Service,
  name: keyof typeof controlTable,
  body?: Json,
): Promise<Json> {
  const { method, path } = controlTable[name];
  const request: WireRequest = {
    operation: `sandbox ${name}`,
    isRepeatable: method === 'GET' || method === 'PUT',
    method,
    path,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  const reply = await service.transport(request).catch((error: unknown) => {
    throw error instanceof TransportError ? failureOfTransport(request, error) : error;
  });
  if (reply.status === 404) {
    throw new Failure(
      'config',
      'the service at this address is no sandbox',
      'start one: reviewctl sandbox serve',
    );
  }
  if (reply.status < 200 || reply.status >= 300) throw failureOfReply(request, reply);
  return JSON.parse(reply.body) as Json;
}
