import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { type FaultRates, faultWords, parseFaultRates } from '../../../sandbox/faults/faults.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { useService } from '../../runtime/session.ts';
import { controlRequest } from './control-request.ts';

const faults = z.object({
  rates: z.record(z.string(), z.union([z.number(), z.object({ next: z.number() })])),
  counts: z.record(z.string(), z.number()),
});

export const command = defineCommand({
  argument: {
    term: '[fault...]',
    help: 'faults to inject from now on, such as throttle=next:3 or torn=5%; none ends them (default: show them)',
  },
  flags: connectionFlags,
  examples: [
    'reviewctl sandbox fault throttle=next:3',
    'reviewctl sandbox fault none',
    'reviewctl sandbox fault',
  ],
  exitCodes: [4, 5],
  run: async (invocation) => {
    const { args, notices } = invocation;
    const wanted = args.length === 0 ? undefined : wantedFaults(args);
    const service = await useService(invocation);
    const { rates, counts } = await (wanted === undefined
      ? controlRequest(service, 'getFaults', faults)
      : controlRequest(service, 'setFaults', faults, wanted));
    const past = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
    notices.summary(
      `faults: ${faultWords(rates).join(', ') || 'none'}; injected so far: ${past.join(', ') || 'none'}`,
    );
  },
});

/** @throws Failure('usage') for an unknown fault, and for list-lag, which a running sandbox cannot change. */
function wantedFaults(words: readonly string[]): FaultRates {
  if (words.join() === 'none') return {};
  if (!words.some((word) => word.startsWith('list-lag='))) return parseFaultRates(words);
  throw new Failure(
    'usage',
    'list-lag can only be set when the sandbox starts',
    hint`restart it: ${reviewctl`sandbox serve --fault list-lag=5s`}`,
  );
}
