import { type CallInput, createApi } from '../../src/client/caller.ts';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { type Assumptions, defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { OperationName, Operations } from '../../src/contract/operations.ts';
import type { Transport } from '../../src/contract/wire.ts';

/** The typed service over any transport, with default assumptions except these. */
export function apiOver(transport: Transport, assumptions: Partial<Assumptions> = {}) {
  return createApi({ transport, assumptions: { ...defaultAssumptions, ...assumptions } });
}

export const productBody: CallInput<Operations['createProduct']> = {
  body: { originId: 'p-1', name: '사과' },
};

/** The failure of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<ServiceFailure> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceFailure)) throw new Error(`no ServiceFailure: ${String(error)}`);
  return error;
}

/** Calls with an input that the types would reject, as `reviewctl api` can. */
export function callLoosely(
  api: ReturnType<typeof apiOver>,
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  return api.call(name, input as never);
}
