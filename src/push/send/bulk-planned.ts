import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import type { Planned } from '../steps/planned.ts';
import { recordsOf } from './bulk.ts';
import type { BulkStep } from './journaled.ts';

/** The part of a flow whose steps are requests of many records. */
export const bulkSteps = { plannedOf, part, settled };

/** What a step does, record by record. */
function plannedOf(step: BulkStep): readonly Planned[] {
  switch (step.kind) {
    case 'decided':
      return step.outcomes.map((outcome) => ({ outcome }));
    case 'update': {
      const { record, objectId: id, body } = step;
      return [{ outcome: outcomeOf(record, 'updated', { id }), write: { update: id, body } }];
    }
    case 'send':
      return step.entries.flatMap((entry) => plannedOfEntry(step, entry));
  }
}

type Request = Extract<BulkStep, { readonly kind: 'send' }>;

function plannedOfEntry({ operation }: Request, entry: Request['entries'][number]): readonly Planned[] {
  return recordsOf(entry).map((record) => ({
    outcome: outcomeOf(record, 'queued'),
    write: { create: operation },
  }));
}

function part(step: BulkStep, isWanted: (records: readonly Planned[]) => boolean): BulkStep | undefined {
  switch (step.kind) {
    case 'decided':
      return some({ ...step, outcomes: step.outcomes.filter((outcome) => isWanted([{ outcome }])) });
    case 'update':
      return isWanted(plannedOf(step)) ? step : undefined;
    case 'send':
      return some({
        ...step,
        entries: step.entries.filter((entry) => isWanted(plannedOfEntry(step, entry))),
      });
  }
}

function some(step: Exclude<BulkStep, { readonly kind: 'update' }>): BulkStep | undefined {
  const { length } = step.kind === 'decided' ? step.outcomes : step.entries;
  return length === 0 ? undefined : step;
}

function settled(outcome: PushOutcome): BulkStep {
  return { kind: 'decided', outcomes: [outcome] };
}
