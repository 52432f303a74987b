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
      return step.units.flatMap((unit) => plannedOfUnit(step, unit));
  }
}

type Request = Extract<BulkStep, { readonly kind: 'send' }>;

function plannedOfUnit({ operation }: Request, unit: Request['units'][number]): readonly Planned[] {
  return recordsOf(unit).map((record) => ({
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
      return some({ ...step, units: step.units.filter((unit) => isWanted(plannedOfUnit(step, unit))) });
  }
}

function some(step: Exclude<BulkStep, { readonly kind: 'update' }>): BulkStep | undefined {
  const { length } = step.kind === 'decided' ? step.outcomes : step.units;
  return length === 0 ? undefined : step;
}

function settled(outcome: PushOutcome): BulkStep {
  return { kind: 'decided', outcomes: [outcome] };
}
