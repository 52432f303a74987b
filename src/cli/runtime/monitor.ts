import { type ExitCode, Failure } from '../../base/failure.ts';
import { findSetting, type SettingSources } from '../../config/setting-sources.ts';
import { runSummary } from '../../output/reports/run-summary.ts';
import type { Notices } from '../../output/terminal/notices.ts';
import { readFlag } from '../flags/flags.ts';
import { monitoringFlags } from '../flags/shared-flags.ts';
import type { CommandDefinition, Context } from './command.ts';
import { type PingTarget, pingTarget } from './ping-target.ts';
import type { Publisher } from './publish-run.ts';
import type { RunNotes } from './run-notes.ts';

/** A run that monitors may watch. */
interface MonitoredRun {
  /** The words of the command. */
  readonly command: string;
  /** Undefined if no command was recognized. */
  readonly definition: CommandDefinition | undefined;
  readonly context: Context;
  readonly sources: SettingSources;
  readonly notices: Notices;
  readonly notes: RunNotes;
  readonly secrets: Set<string>;
}

/** The watch of one run. */
interface Monitor {
  /**
   * Reports the start of the command.
   * @throws Failure('usage') if the setting ping is not an address.
   */
  start(): Promise<void>;
  /** Publishes the summary of the run. Never rejects, and never changes the exit code. */
  end(exitCode: ExitCode): Promise<void>;
}

const unwatched: Monitor = { start: async () => undefined, end: async () => undefined };

/**
 * Opens the monitors that flags and settings name for a run. Invalid settings are reported when the flags are read; the
 * others are used. Does nothing and loads nothing if none is named or the run changes nothing.
 */
export async function openMonitor(run: MonitoredRun): Promise<Monitor> {
  const { definition, context, sources, notices, notes, secrets } = run;
  const set = (name: keyof typeof monitoringFlags) => readFlag(monitoringFlags, name, sources);
  const { target, fault } = readTarget(set('ping'), secrets);
  if (!isWatched(definition, sources)) return unwatched;
  const destinations = { ping: target, metricsFile: set('metricsFile'), summaryFile: set('summaryFile') };
  if (Object.values(destinations).every((one) => one === undefined) && fault === undefined) return unwatched;
  const { clock } = context;
  const begun = { startedMs: clock.now(), monotonicMs: clock.monotonicMs() };
  const summaryOf = <Code extends ExitCode | null>(exitCode: Code) => {
    const tookMs = clock.monotonicMs() - begun.monotonicMs;
    const frame = { command: run.command, profile: sources.profile.name, exitCode, ...begun, tookMs };
    return runSummary(frame, notes.facts(notices.complete));
  };
  const { openPublisher } = await import('./publish-run.ts');
  const publisher: Publisher = openPublisher(destinations, context, notices, secrets);
  return {
    start: async () => {
      if (fault !== undefined) throw fault;
      await publisher.start(summaryOf(null));
    },
    end: (exitCode) => publisher.end(summaryOf(exitCode)),
  };
}

/** True if a run is of interest to monitors. One that only plans changes nothing, and is not the job they wait for. */
function isWatched(definition: CommandDefinition | undefined, sources: SettingSources): boolean {
  if (definition?.isMonitored === undefined) return false;
  const { isMonitored, flags } = definition;
  const isSet = (name: string) => (readFlag(flags, name, sources) ?? false) !== false;
  if (isSet('dryRun') || isSet('planOut')) return false;
  if (typeof isMonitored === 'boolean') return isMonitored;
  return (
    isSet(isMonitored.with) ||
    Object.keys(monitoringFlags).some((name) => findSetting(sources, name)?.origin === 'flag')
  );
}

/** The monitor to call. Messages never contain its address: anyone who knows it can silence the alarm. */
function readTarget(
  text: string | undefined,
  secrets: Set<string>,
): { readonly target?: PingTarget; readonly fault?: Failure } {
  if (text === undefined) return {};
  try {
    const target = pingTarget(text);
    secrets.add(target.url.pathname + target.url.search);
    return { target };
  } catch (error) {
    if (error instanceof Failure) return { fault: error };
    throw error;
  }
}
