import type { JsonObject } from '../../src/base/json.ts';

/** The batches one after the other, as a flow would yield them. */
export async function* batchesOf(...batches: readonly (readonly JsonObject[])[]) {
  for (const batch of batches) yield batch;
}
