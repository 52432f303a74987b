import { onTestFinished } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import { openService, type ServiceOptions } from '../../src/client/open-service.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { SkippingClock } from './skipping-clock.ts';

/** A client of the service at this address until the test ends, with a clock that skips pauses. */
export async function serviceAt(baseUrl: string, options: Partial<ServiceOptions> = {}) {
  const clock = new SkippingClock();
  const service = await openService({
    baseUrl,
    token: 'test',
    assumptions: defaultAssumptions,
    timeoutMs: 10_000,
    retries: 4,
    clock,
    random: seededRandom(1),
    ...options,
  });
  onTestFinished(() => service.close());
  return { ...service, clock };
}
