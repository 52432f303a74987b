import { onTestFinished } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { environmentAt, temporaryFolder } from './run-cli.ts';

/** A sandbox with reviews on its own clock, and the environment of its user. */
export interface ReviewPlace {
  readonly clock: ManualClock;
  readonly sandbox: ServedSandbox;
  readonly env: Readonly<Record<string, string>>;
}

/** Opens a place that is closed at the end of the test. */
export async function openReviewPlace(world: {
  readonly orders: number;
  readonly reviews: number;
}): Promise<ReviewPlace> {
  const clock = new ManualClock();
  const sandbox = await serveSandbox({ port: 0, clock, products: 3, ...world });
  onTestFinished(() => sandbox.close());
  const env = environmentAt(temporaryFolder(), sandbox);
  return { clock, sandbox, env };
}
