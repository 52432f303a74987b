import { basename, dirname, resolve } from 'node:path';
import { replaceAtomically } from '../../base/atomic-file.ts';
import type { Clock } from '../../base/clock.ts';
import { type ExitCode, Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import { redactSecrets } from '../../base/redact.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { type RunSummary, summaryText } from '../../output/reports/run-summary.ts';
import type { Notices } from '../../output/terminal/notices.ts';
import type { Lock, Locks } from '../../store/locks/locks.ts';
import { stateLocks } from '../../store/open-store.ts';
import { stateLocation } from '../../store/state/state-location.ts';
import { type MonitorCalls, monitorCalls } from './call-monitor.ts';
import type { Context } from './context.ts';
import type { PingTarget } from './ping-target.ts';

/** Where the summary of a run goes; each only if it is set. */
export interface Destinations {
  readonly ping: PingTarget | undefined;
  readonly metricsFile: string | undefined;
  readonly summaryFile: string | undefined;
}

/** Readable by others as far as the umask allows: agents of monitoring run as users of their own. */
const sharedMode = 0o666;

/** How long the lock of a metrics file is waited for: it is held for milliseconds. */
const lockWaitMs = 2000;
const lockPauseMs = 50;

/** One run, as its monitors see it. */
export interface Publisher {
  /** Reports the start; the summary file then holds no success of an earlier run, even if this one is killed. */
  start(summary: RunSummary<null>): Promise<void>;
  /** Sends the summary everywhere. What goes wrong is a warning: the run itself is over. */
  end(summary: RunSummary): Promise<void>;
}

export function openPublisher(
  { ping, metricsFile, summaryFile }: Destinations,
  context: Context,
  notices: Notices,
  secrets: Iterable<string>,
): Publisher {
  const calls: MonitorCalls | undefined = ping === undefined ? undefined : monitorCalls(ping, context);
  const attempt = async (what: string, remedy: string, work: () => Promise<string | undefined>) => {
    const trouble = await work().catch(messageOf);
    if (trouble !== undefined) notices.warning(`${what}: ${trouble}`, remedy);
  };
  const writeSummary = async (summary: RunSummary<ExitCode | null>) => {
    if (summaryFile === undefined) return;
    await attempt('the summary of this run was not written', 'check the setting summary-file', async () => {
      replaceAtomically(resolve(context.cwd, summaryFile), summaryText(summary), 'process', sharedMode);
      return undefined;
    });
  };
  return {
    start: async (summary) => {
      calls?.start();
      await writeSummary(summary);
    },
    end: async (found) => {
      const summary = withoutSecrets(found, secrets);
      await writeSummary(summary);
      if (metricsFile !== undefined) {
        const path = resolve(context.cwd, metricsFile);
        await attempt(
          'the metrics of this run were not written',
          'check the setting metrics-file',
          async () => {
            await writeMetrics(path, summary, context.clock);
            return undefined;
          },
        );
      }
      if (ping !== undefined && calls !== undefined) {
        const what = `the monitor at ${ping.url.host} could not be notified of the end of this run`;
        await attempt(what, 'check the address given with the setting ping', () => calls.end(summary));
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
  const { runMetrics } = await import('../../output/reports/run-metrics.ts');
  const lock = await takeLock(stateLocks(stateLocation(dirname(path))), basename(path), clock);
  try {
    const text = await runMetrics(summary, clock.now(), textOf(path));
    replaceAtomically(path, text, 'process', sharedMode);
  } finally {
    await lock.release();
  }
}

async function takeLock(locks: Locks, name: string, clock: Clock): Promise<Lock> {
  const untilMs = clock.monotonicMs() + lockWaitMs;
  for (;;) {
    try {
      return await locks.acquire(name, 'metrics-file');
    } catch (error) {
      const isHeld = error instanceof Failure && error.kind === 'locked';
      if (!isHeld || clock.monotonicMs() > untilMs) throw error;
    }
    await clock.sleep(lockPauseMs);
  }
}

function textOf(path: string): string {
  try {
    return readRegularFile(path);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
