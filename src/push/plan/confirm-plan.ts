import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import type { PlanEntry, PushFlow } from '../steps/push-flow.ts';
import { driftBetween } from './plan-drift.ts';
import { type Placed, type PlanLine, placeKey } from './plan-line.ts';

/**
 * Decides once more on the records of a plan. What would be written now is kept where it is exactly what was planned,
 * to a record that is as it was then; any other write is rejected, and a write that is no longer needed gets its
 * present outcome.
 */
export async function* confirmPlan<R extends Placed, Request>(
  flow: PushFlow<R, Request>,
  plan: AsyncIterable<readonly PlanLine<R>[]>,
): AsyncGenerator<readonly Request[]> {
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
      const confirmed = flow.part(request, (together) => {
        const drifts = together.map(driftOf);
        const [first] = drifts.filter((drift) => drift !== undefined);
        if (first === undefined) return true;
        for (const [index, { outcome }] of together.entries())
          refused.push(outcomeOf(outcome, 'rejected', { error: drifts[index] ?? beside(first) }));
        return false;
      });
      return [
        ...refused.map((outcome) => flow.settled(outcome)),
        ...(confirmed === undefined ? [] : [confirmed]),
      ];
    });
  }
}

function beside(drift: string): string {
  return `goes out together with a record that is not as planned: ${drift}`;
}
