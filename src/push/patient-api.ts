import { backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Api } from '../client/caller.ts';
import { ServiceFailure } from '../client/service-failure.ts';
import { operations } from '../contract/operations.ts';

/** How often one call is made at most. */
const attemptsMaximum = 4;
const pauses = { firstMs: 100, longestMs: 1000 } as const;

/**
 * The same service, asked again where a proxy put a page of its own in the place of an answer; only what may be repeated
 * is. Without this one such page among thousands of lookups would end a push.
 */
export function patientApi(
  api: Api,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Api {
  return {
    ...api,
    call: async (name, input, signal) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await api.call(name, input, signal);
        } catch (error) {
          const isUnreadable = error instanceof ServiceFailure && error.kind === 'unreadable-reply';
          if (!isUnreadable || !operations[name].isRepeatable || attempt === attemptsMaximum) throw error;
          await clock.sleep(backoffMs(attempt, random, pauses), signal);
        }
      }
    },
  };
}
