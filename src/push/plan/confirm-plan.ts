import { type FieldChanges, outcomeOf, type PlanEntry, type PushOutcome } from '../steps/outcome.ts';
import { type Placed, type PlanLine, placeKey } from './plan-line.ts';
import { type PlanRequest, type PushFlow, partOf, type Settled } from './request.ts';

/**
 * Decides again on the records of a plan. A write is kept if it is exactly the planned one, to a record that has not
 * changed. Any other write is rejected. A write that is no longer needed gets its current outcome.
 */
export async function* confirmPlan<R extends Placed, Q extends PlanRequest>(
  flow: PushFlow<R, Q>,
  plan: AsyncIterable<readonly PlanLine<R>[]>,
): AsyncGenerator<readonly (Q | Settled)[]> {
  const waiting = new Map<string, PlanLine<R>>();
  async function* records(): AsyncGenerator<readonly R[]> {
    for await (const lines of plan) {
      for (const line of lines) waiting.set(placeKey(line.outcome), line);
      yield lines.map(({ record }) => record);
    }
  }
  const driftOf = (now: PlanEntry): string | undefined => {
    const key = placeKey(now.outcome);
    const line = waiting.get(key);
    waiting.delete(key);
    return line && driftBetween(line, now);
  };
  for await (const requests of flow.decide(records())) {
    yield requests.flatMap((request) => {
      const refused: PushOutcome[] = [];
      const confirmed = partOf(request, (together) => {
        const drifts = together.map(driftOf);
        const [first] = drifts.filter((drift) => drift !== undefined);
        if (first === undefined) return true;
        for (const [index, { outcome }] of together.entries())
          refused.push(outcomeOf(outcome, 'rejected', { error: drifts[index] ?? batchDrifted(first) }));
        return false;
      });
      return [
        ...refused.map((outcome) => ({ outcomes: [outcome] })),
        ...(confirmed === undefined ? [] : [confirmed]),
      ];
    });
  }
}

function batchDrifted(drift: string): string {
  return `is sent together with a record that is not as planned: ${drift}`;
}

/**
 * The difference between the planned and the current action, with both values; undefined if they agree, or if nothing
 * remains to be written.
 */
function driftBetween(planned: PlanEntry, now: PlanEntry): string | undefined {
  const isRefusedNow = planned.write !== undefined && now.outcome.outcome === 'rejected';
  const isSame = now.write === undefined ? !isRefusedNow : comparable(planned) === comparable(now);
  if (isSame) return undefined;
  const since = `changed since the plan was made: planned: ${inWords(planned)}; now: `;
  const isSentSince = 'replaces' in (now.write ?? {}) && textOf(planned.write) === textOf(now.write);
  if (!isSentSince) return since + inWords(now);
  return `${since}other content was sent since, which the service does not show`;
}

/** A write without the hash of the content that it replaces. */
function textOf(write: PlanEntry['write'] = {}): string {
  return JSON.stringify({ ...write, replaces: undefined });
}

/** A comparable form of a write and the values that it replaces. */
function comparable({ outcome, write }: PlanEntry): string {
  const froms = Object.entries(outcome.changes ?? {}).map(([field, { from }]) => [field, from]);
  return JSON.stringify([write ?? null, froms]);
}

function inWords({ outcome, write }: PlanEntry): string {
  if (write === undefined) return String(outcome.error ?? outcome.outcome);
  if (outcome.outcome !== 'updated') return 'create it';
  if (outcome.changes === undefined)
    return 'body' in write ? `send ${JSON.stringify(write.body)}` : 'update it';
  return `update ${changesInWords(outcome.changes)}`;
}

function changesInWords(changes: FieldChanges): string {
  return Object.entries(changes)
    .map(([field, { from, to }]) => `${field} from ${JSON.stringify(from)} to ${JSON.stringify(to)}`)
    .join(', ');
}
