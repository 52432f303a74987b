import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { replaceAtomically } from '../../base/atomic-file.ts';
import type { Clock } from '../../base/clock.ts';
import { crypto } from '../../base/crypto.ts';
import { type ExitCode, messageOf } from '../../base/failure.ts';
import { redactSecrets } from '../../base/redact.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { type Ping, ping } from '../../client/ping.ts';
import { type RunSummary, summaryText } from '../../output/reports/run-summary.ts';
import type { Notices } from '../../output/terminal/notices.ts';
import { stateLocks } from '../../store/open-store.ts';
import { stateLocation } from '../../store/state/state-location.ts';
import type { Context } from './command.ts';
import { healthchecksUrl, type PingTarget } from './ping-target.ts';
import { waitForLock } from './wait-for-lock.ts';

/** The destinations of a run's summary; each is optional. */
interface Destinations {
  readonly ping: PingTarget | undefined;
  readonly metricsFile: string | undefined;
  readonly summaryFile: string | undefined;
}

/** Readable by others as far as the umask allows: monitoring agents run as separate users. */
const sharedMode = 0o666;

/** Maximum wait for the lock of a metrics file, which is held for milliseconds. */
const lockWaitMs = 2000;
const lockPauseMs = 50;

/*
 * A monitor that is down delays a run by 10 s at most. The call at the start runs alongside the command; the end allows
 * for the rest of that call and for two attempts.
 */
const tryMs = 3000;
const tries = 2;
const pauseMs = 500;

/** Publishes one run to its monitors. */
export interface Publisher {
  /** Reports the start. The summary file then shows no success of an earlier run, even if this one is killed. */
  start(summary: RunSummary<null>): Promise<void>;
  /** Sends the summary to every destination. A problem is only a warning: the run itself is over. */
  end(summary: RunSummary): Promise<void>;
}

export function openPublisher(
  { ping: target, metricsFile, summaryFile }: Destinations,
  context: Context,
  notices: Notices,
  secrets: Iterable<string>,
): Publisher {
  const { clock, env } = context;
  const attempt = async (what: string, remedy: string, work: () => Promise<unknown>) => {
    const trouble = await work().catch(messageOf);
    if (typeof trouble === 'string') notices.warning(`${what}: ${trouble}`, remedy);
  };
  const writeSummary = async (summary: RunSummary<ExitCode | null>) => {
    if (summaryFile === undefined) return;
    await attempt('the summary of this run was not written', 'check the setting summary-file', async () =>
      replaceAtomically(resolve(context.cwd, summaryFile), summaryText(summary), 'process', sharedMode),
    );
  };
  const rid = target === undefined ? '' : crypto().randomUUID();
  const call = (request: Omit<Ping, 'timeoutMs'>) =>
    ping({ ...request, timeoutMs: tryMs }, env).catch(messageOf);
  let started: Promise<unknown> | undefined;
  const reportEnd = async ({ kind, url }: PingTarget, summary: RunSummary) => {
    if (kind === 'plain' && summary.exitCode !== 0) return undefined;
    // A start that arrives after the end would look like a run that never ends.
    await started;
    const request =
      kind === 'plain'
        ? { url }
        : { url: healthchecksUrl(url, String(summary.exitCode), rid), body: summaryText(summary) };
    for (let attempts = 1; attempts < tries; attempts += 1) {
      if ((await call(request)) === undefined) return undefined;
      await clock.sleep(pauseMs);
    }
    return call(request);
  };
  return {
    start: async (summary) => {
      if (target?.kind === 'healthchecks')
        started = call({ url: healthchecksUrl(target.url, 'start', rid), body: '' });
      await writeSummary(summary);
    },
    end: async (found) => {
      const summary = withoutSecrets(found, secrets);
      await writeSummary(summary);
      if (metricsFile !== undefined) {
        const path = resolve(context.cwd, metricsFile);
        await attempt('the metrics of this run were not written', 'check the setting metrics-file', () =>
          writeMetrics(path, summary, clock),
        );
      }
      if (target !== undefined) {
        const what = `the monitor at ${target.url.host} could not be notified of the end of this run`;
        await attempt(what, 'check the address given with the setting ping', () =>
          reportEnd(target, summary),
        );
      }
    },
  };
}

function withoutSecrets(summary: RunSummary, secrets: Iterable<string>): RunSummary {
  if (summary.next === undefined) return summary;
  return { ...summary, next: summary.next.map((command) => redactSecrets(command, secrets)) };
}

/** Replaces the metrics of this command in the file, which several commands may share. */
async function writeMetrics(path: string, summary: RunSummary, clock: Clock): Promise<void> {
  if (!existsSync(dirname(path))) throw new Error(`the folder ${dirname(path)} does not exist`);
  const { runMetrics } = await import('../../output/reports/run-metrics.ts');
  const locks = stateLocks(stateLocation(dirname(path)));
  const lock = await waitForLock(() => locks.acquire(basename(path), 'metrics-file'), {
    clock,
    waitMs: lockWaitMs,
    pauseMs: lockPauseMs,
  });
  try {
    const before = existsSync(path) ? readRegularFile(path) : '';
    const text = runMetrics(summary, clock.now(), before);
    replaceAtomically(path, text, 'process', sharedMode);
  } finally {
    await lock.release();
  }
}
