import { mapConcurrently } from '../../base/lists.ts';
import type { Api } from '../../client/caller.ts';
import type { JournaledKind, PushJournal } from '../../store/journal/push-journal.ts';
import type { UndoLog } from '../../store/runs/undo-log.ts';
import type { UpsertEntry } from '../decide/upsert-entry.ts';
import { lookupGroups } from '../lookup/find-products.ts';
import { carryOut, type PushFlow } from '../plan/request.ts';
import type { Breaker } from '../steps/breaker.ts';
import type { PushOutcome } from '../steps/outcome.ts';
import type { StepOptions, StepPlace } from '../steps/run-steps.ts';

/** Look-ups that may be under way ahead of what is done with them. */
const lookupsAhead = 2;

/**
 * Decides on the records of one reading of an input. A plan that is judged before it is sent is decided on twice, so
 * what one record means for the ones after it is kept here.
 */
interface Decider<R, T> {
  readonly lookUp: (records: readonly R[]) => Promise<readonly T[]>;
  /** Called in the order of the input. */
  readonly decide: (observed: T) => UpsertEntry;
}

/**
 * How records of one kind are pushed that the service may have already: `R` is a record, `T` one with all that is known
 * of it at the service and in the journal.
 */
interface Upsert<R, T> extends Writing {
  readonly originIdOf: (record: R) => string;
  /** What records are looked up by together; many of them fit into one request. */
  readonly lookupKeyOf: (record: R) => string;
  readonly openDecider: () => Promise<Decider<R, T>>;
}

/** What every push of records needs that the service may have already, an undo among them. */
export interface UpsertContext extends StepOptions {
  readonly api: Api;
  /** To send, recovered, and the run lock of its kind held. */
  readonly journal: Pick<PushJournal, 'known' | 'begin' | 'end' | 'record'>;
  readonly undoLog: UndoLog;
}

/** How records of one kind are written, whatever decides on them. */
export interface Writing extends StepOptions {
  readonly breaker: Breaker;
  readonly journal: UpsertContext['journal'];
  /** What the journal keeps of its writes. */
  readonly journaled: JournaledKind;
  readonly write: (
    entry: UpsertEntry,
    write: NonNullable<UpsertEntry['write']>,
    place: StepPlace,
  ) => Promise<PushOutcome>;
}

/** Looks up, decides and writes record by record; the outcomes come in the order of the input. */
export function upsertFlow<R, T>(upsert: Upsert<R, T>): PushFlow<R, UpsertEntry> {
  const { breaker, journal, journaled } = upsert;
  return {
    originIdOf: upsert.originIdOf,
    decide: async function* (batches) {
      const { lookUp, decide } = await upsert.openDecider();
      const groups = lookupGroups(batches, upsert.lookupKeyOf);
      for await (const observed of mapConcurrently(groups, { width: lookupsAhead }, lookUp))
        yield observed.map(decide);
    },
    // Each holds its place until it is on record: those that are answered together then begin together, and share
    // their commits.
    send: (requests) =>
      carryOut(requests, upsert, async (entry, report, place) => {
        const { outcome, write, learned } = entry;
        if (learned !== undefined) await journal.record(journaled, [learned]).catch(breaker.stop);
        report(write === undefined ? outcome : await upsert.write(entry, write, place));
        breaker.check();
      }),
  };
}
