import type { JsonObject } from '../../src/base/json.ts';

/** Yields the batches one after another, like a flow. */
export async function* batchesOf(...batches: readonly (readonly JsonObject[])[]) {
  for (const batch of batches) yield batch;
}
