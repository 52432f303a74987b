import type { Api } from '../../client/caller.ts';
import type { JournaledKind, PushJournal } from '../../store/journal/push-journal.ts';
import { itemUpdateEntry, type OrderItemBody } from '../compile/order-item-entry.ts';
import type { SendableRecord } from '../compile/sendable-record.ts';
import { decide, needsId, type PushDecision, type Resend } from '../decide/decide.ts';
import type { LookupEvent, UnknownItemSearch } from '../lookup/find-unknown-items.ts';
import type { BulkName, BulkRequest, Settled } from '../plan/request.ts';
import { outcomeOf, type PlanEntry, type PushOutcome } from '../steps/outcome.ts';
import type { Report, StepOptions } from '../steps/run-steps.ts';
import { sendBulk } from './bulk.ts';
import type { SendContext } from './send-journaled.ts';
import { sendUpdate } from './send-update.ts';

export interface BulkPush<S> extends StepOptions {
  readonly api: Api;
  /** Recovered, with the run lock of its kind held. */
  readonly journal: PushJournal;
  /** Entries per bulk request, 1 to 100. */
  readonly batchSize: number;
  readonly resend: Resend | undefined;
  readonly onLookup?: (event: LookupEvent) => void;
  /** Reads the records again from the start. Present if their originIds are made with `{n}`. */
  readonly rereadCounted?: (() => AsyncIterable<readonly S[]>) | undefined;
}

/** An input record with its decision. */
export interface DecidedRecord<S> {
  readonly record: S;
  readonly decision: PushDecision;
}

/** A record whose item was created before with other content, and the update that changes it. */
export interface ItemUpdate extends PlanEntry {
  readonly record: SendableRecord;
  /** The id of the item at the service, the new content, and the hash of the previous content. */
  readonly write: { readonly update: string; readonly body: OrderItemBody; readonly replaces: string };
}

export function itemUpdate(
  record: SendableRecord,
  { objectId: id, replaces }: Extract<PushDecision, { readonly kind: 'update' }>,
  body: OrderItemBody,
): ItemUpdate {
  return { outcome: outcomeOf(record, 'updated', { id }), write: { update: id, body, replaces }, record };
}

/** A request of many records, or the update of an existing one. */
export type JournaledRequest = BulkRequest | ItemUpdate;

/** Sends one request of a plan. @throws as `sendBulk`. */
export async function sendRequest(
  context: SendContext,
  request: JournaledRequest,
  report: Report,
  answered: () => void,
): Promise<void> {
  if ('operation' in request) return sendBulk(context, request, report, answered);
  const { outcome, record, write } = request;
  const { update: id, body } = write;
  const accepted = { of: context.kind, entry: record, objectId: id };
  const alsoAccepted = { entry: itemUpdateEntry(id, body) };
  const update = { operation: 'updateOrderItem', id, body, accepted, alsoAccepted } as const;
  report(await sendUpdate(context, outcome, update));
  context.breaker.check();
}

/**
 * Groups the records to send into requests of `batchSize`, one entry per record, in input order. `updateOf` returns the
 * body that updates an existing record.
 */
export async function* planRequests<S extends SendableRecord>(
  batches: AsyncIterable<readonly DecidedRecord<S>[]>,
  operation: BulkName,
  batchSize: number,
  updateOf?: (record: S) => OrderItemBody,
): AsyncGenerator<readonly (JournaledRequest | Settled)[]> {
  let entries: S[] = [];
  for await (const batch of batches) {
    const requests: (JournaledRequest | Settled)[] = [];
    let outcomes: PushOutcome[] = [];
    const flushOutcomes = () => {
      if (outcomes.length > 0) requests.push({ outcomes });
      outcomes = [];
    };
    for (const { record, decision } of batch) {
      if (decision.kind === 'send') entries.push(record);
      else if (decision.kind !== 'update') outcomes.push(outcomeOf(record, decision.kind, decision));
      else if (updateOf !== undefined) {
        flushOutcomes();
        requests.push(itemUpdate(record, decision, updateOf(record)));
      }
      if (entries.length < batchSize) continue;
      flushOutcomes();
      requests.push({ operation, entries });
      entries = [];
    }
    flushOutcomes();
    yield requests;
  }
  if (entries.length > 0) yield [{ operation, entries }];
}

/** Additional sources for decisions on records. */
interface Findings<S> {
  /** Searches for unknown records at the service. */
  readonly search?: UnknownItemSearch | undefined;
  /** The reason why a record cannot be sent, whatever the journal knows. */
  readonly refusalOf?: (record: S) => string | undefined;
}

/** Decides on every input record from the journal and the service. */
export async function* decideAll<S extends SendableRecord>(
  batches: AsyncIterable<readonly S[]>,
  { journal, resend }: Pick<BulkPush<S>, 'journal' | 'resend'>,
  kind: JournaledKind,
  { search, refusalOf }: Findings<S> = {},
): AsyncGenerator<readonly DecidedRecord<S>[]> {
  const journaledBefore = await journal.knownBefore();
  for await (const records of batches) {
    const originIds = records.map(({ originId }) => originId);
    const before = await journaledBefore.known(kind, originIds);
    const unnamed = records.filter((record) => needsId(before.get(record.originId), record));
    const known =
      search === undefined
        ? before
        : await search.find(before, new Set(unnamed.map(({ originId }) => originId)));
    const decideOn = (record: S): PushDecision => {
      const error = refusalOf?.(record);
      if (error !== undefined) return { kind: 'rejected', error };
      return decide(known.get(record.originId), record, resend);
    };
    yield records.map((record) => ({ record, decision: decideOn(record) }));
  }
}
