import { mapConcurrently } from '../../base/lists.ts';
import type { JournaledKind, PushJournal } from '../../store/journal/push-journal.ts';
import type { UpsertEntry } from '../decide/upsert-entry.ts';
import { lookupGroups } from '../lookup/find-products.ts';
import { type Breaker, finishedBy } from '../steps/breaker.ts';
import type { PushOutcome } from '../steps/outcome.ts';
import { type PushFlow, singleRequests } from '../steps/push-flow.ts';
import { recordAccepted } from '../steps/record-accepted.ts';
import { runSteps, type StepOptions, type StepPlace } from '../steps/run-steps.ts';

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
interface Upsert<R, T> extends StepOptions {
  readonly breaker: Breaker;
  readonly journal: Pick<PushJournal, 'begin' | 'end'>;
  /** What the journal keeps of its writes. */
  readonly journaled: JournaledKind;
  readonly originIdOf: (record: R) => string;
  /** What records are looked up by together; many of them fit into one request. */
  readonly lookupKeyOf: (record: R) => string;
  readonly openDecider: () => Promise<Decider<R, T>>;
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
    ...singleRequests,
    originIdOf: upsert.originIdOf,
    settled: (outcome) => ({ outcome }),
    decide: async function* (batches) {
      const { lookUp, decide } = await upsert.openDecider();
      const groups = lookupGroups(batches, upsert.lookupKeyOf);
      for await (const observed of mapConcurrently(groups, { width: lookupsAhead }, lookUp))
        yield observed.map(decide);
    },
    send: (steps) => {
      // Each holds its place until it is on record: those that are answered together then begin together, and share
      // their commits.
      const outcomes = runSteps(steps, upsert, async (entry, report, place) => {
        const { outcome, write, learned } = entry;
        if (learned !== undefined) await recordAccepted(journal, journaled, learned).catch(breaker.stop);
        report(write === undefined ? outcome : await upsert.write(entry, write, place));
        breaker.check();
      });
      return finishedBy(breaker, outcomes);
    },
  };
}
