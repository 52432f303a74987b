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

/** Lookups that may run ahead of decisions and writes. */
const lookupsAhead = 2;

/**
 * Decides on the records of one reading of the input. A plan that is reviewed before sending is decided on twice, so
 * the effects of records on later ones are kept here.
 */
interface Decider<R, T> {
  readonly lookUp: (records: readonly R[]) => Promise<readonly T[]>;
  /** Called in the order of the input. */
  readonly decide: (observed: T) => UpsertEntry;
}

/**
 * The rules for pushing records that the service may already have: `R` is a record, `T` a record with its state at the
 * service and in the journal.
 */
interface Upsert<R, T> extends Writing {
  readonly originIdOf: (record: R) => string;
  /** The key for lookups, many of which share one request. */
  readonly lookupKeyOf: (record: R) => string;
  readonly openDecider: () => Promise<Decider<R, T>>;
}

/** The context of every push of records that the service may already have, including undo. */
export interface UpsertContext extends StepOptions {
  readonly api: Api;
  /** If anything is sent: recovered, with the run lock of its kind held. */
  readonly journal: Pick<PushJournal, 'known' | 'begin' | 'end' | 'record'>;
  readonly undoLog: UndoLog;
}

/** The writes of one kind of record, for pushes and undo alike. */
export interface Writing extends StepOptions {
  readonly breaker: Breaker;
  readonly journal: UpsertContext['journal'];
  /** The kind of its writes in the journal. */
  readonly journaled: JournaledKind;
  readonly write: (
    entry: UpsertEntry,
    write: NonNullable<UpsertEntry['write']>,
    place: StepPlace,
  ) => Promise<PushOutcome>;
}

/** Looks up, decides and writes record by record. Outcomes come in input order. */
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
    // Each step keeps its slot until its write is recorded, so that steps answered together begin together and share
    // commits.
    send: (requests) =>
      carryOut(requests, upsert, async (entry, report, place) => {
        const { outcome, write, learned } = entry;
        if (learned !== undefined) await journal.record(journaled, [learned]).catch(breaker.stop);
        report(write === undefined ? outcome : await upsert.write(entry, write, place));
        breaker.check();
      }),
  };
}
