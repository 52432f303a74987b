import { type CallInput, createApi } from '../../src/client/caller.ts';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { type Assumptions, defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { OperationName, Operations } from '../../src/contract/operations.ts';
import type { Transport } from '../../src/contract/wire.ts';

/** The typed service over any transport, with every assumption at its default but these. */
export function apiOver(transport: Transport, assumptions: Partial<Assumptions> = {}) {
  return createApi({ transport, assumptions: { ...defaultAssumptions, ...assumptions } });
}

export const productBody: CallInput<Operations['createProduct']> = {
  body: { originId: 'p-1', name: '사과' },
};

/** What a call that must fail was thrown. */
export async function failureOf(call: Promise<unknown>): Promise<ServiceFailure> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceFailure)) throw new Error(`no ServiceFailure: ${String(error)}`);
  return error;
}

/** A call with an input that the types would refuse, as `reviewctl api` may make it. */
export function callLoosely(
  api: ReturnType<typeof apiOver>,
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  return api.call(name, input as never);
}
