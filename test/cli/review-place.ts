import { onTestFinished } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { environmentAt, temporaryFolder } from './run-cli.ts';

/** A sandbox with reviews on a clock of its own, and the environment of a user of it. */
export interface ReviewPlace {
  readonly clock: ManualClock;
  readonly sandbox: ServedSandbox;
  readonly env: Readonly<Record<string, string>>;
}

/** Open until the end of the test. */
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
