import { crypto } from '../../base/crypto.ts';
import { messageOf } from '../../base/failure.ts';
import { type Ping, ping } from '../../client/ping.ts';
import { type RunSummary, summaryText } from '../../output/reports/run-summary.ts';
import type { Context } from './context.ts';
import { healthchecksUrl, type PingTarget } from './ping-target.ts';

/*
 * A monitor that is down delays a run by 10 s at the most: the call at the start is made while the run works, and at
 * its end there is time for what is left of that call and for two tries.
 */
const tryMs = 3000;
const tries = 2;
const pauseMs = 500;

/** The calls of one run to its monitor. */
export interface MonitorCalls {
  /** Reports the start in the background, to monitors that want it. */
  start(): void;
  /** Reports the end. Resolves with what went wrong, in words. */
  end(summary: RunSummary): Promise<string | undefined>;
}

export function monitorCalls(
  { kind, url }: PingTarget,
  { env, clock }: Pick<Context, 'env' | 'clock'>,
): MonitorCalls {
  const rid = crypto().randomUUID();
  const call = (request: Omit<Ping, 'timeoutMs'>) =>
    ping({ ...request, timeoutMs: tryMs }, env).catch(messageOf);
  let started: Promise<unknown> | undefined;
  return {
    start: () => {
      if (kind === 'healthchecks') started = call({ url: healthchecksUrl(url, 'start', rid), body: '' });
    },
    end: async (summary) => {
      if (kind === 'plain' && summary.exitCode !== 0) return undefined;
      // A start that arrives after the end would look like a run that never ends.
      await started;
      const request =
        kind === 'plain'
          ? { url }
          : { url: healthchecksUrl(url, String(summary.exitCode), rid), body: summaryText(summary) };
      let trouble: string | undefined;
      for (let attempt = 1; attempt <= tries; attempt += 1) {
        trouble = await call(request);
        if (trouble === undefined) return undefined;
        if (attempt < tries) await clock.sleep(pauseMs);
      }
      return trouble;
    },
  };
}
