import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import type { PlanEntry } from '../steps/push-flow.ts';
import { recordsOf } from './bulk.ts';
import type { BulkRequest } from './journaled.ts';

/** The part of a flow whose requests may be of many records. */
export const bulkRequests = { entriesOf, part, settled };

/** The records of a request. */
function entriesOf(request: BulkRequest): readonly PlanEntry[] {
  switch (request.kind) {
    case 'settled':
      return request.outcomes.map((outcome) => ({ outcome }));
    case 'update': {
      const { record, objectId: id, body } = request;
      return [{ outcome: outcomeOf(record, 'updated', { id }), write: { update: id, body } }];
    }
    case 'bulk':
      return request.entries.flatMap((entry) => entriesOfBulk(request, entry));
  }
}

type Bulk = Extract<BulkRequest, { readonly kind: 'bulk' }>;

function entriesOfBulk({ operation }: Bulk, entry: Bulk['entries'][number]): readonly PlanEntry[] {
  return recordsOf(entry).map((record) => ({
    outcome: outcomeOf(record, 'queued'),
    write: { create: operation },
  }));
}

function part(
  request: BulkRequest,
  isWanted: (records: readonly PlanEntry[]) => boolean,
): BulkRequest | undefined {
  switch (request.kind) {
    case 'settled':
      return some({ ...request, outcomes: request.outcomes.filter((outcome) => isWanted([{ outcome }])) });
    case 'update':
      return isWanted(entriesOf(request)) ? request : undefined;
    case 'bulk':
      return some({
        ...request,
        entries: request.entries.filter((entry) => isWanted(entriesOfBulk(request, entry))),
      });
  }
}

function some(request: Exclude<BulkRequest, { readonly kind: 'update' }>): BulkRequest | undefined {
  const { length } = request.kind === 'settled' ? request.outcomes : request.entries;
  return length === 0 ? undefined : request;
}

function settled(outcome: PushOutcome): BulkRequest {
  return { kind: 'settled', outcomes: [outcome] };
}
