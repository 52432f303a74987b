import { Gauge, Registry } from 'prom-client';
import type { RunSummary } from './run-summary.ts';

/** One line of a metrics file. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const ofRun = ['command', 'profile'] as const;
const lastSuccess = 'reviewctl_run_last_success_timestamp_seconds';

/** Every metric by its name, with its help and its labels. */
const metrics: Readonly<Record<string, readonly [help: string, labels: readonly string[]]>> = {
  reviewctl_run_last_timestamp_seconds: ['When the command last ended, with any exit code.', ofRun],
  [lastSuccess]: ['When the command last ended with exit code 0; 0 if it never did.', ofRun],
  reviewctl_run_exit_code: ['The exit code of the last run.', ofRun],
  reviewctl_run_duration_seconds: ['How long the last run took.', ofRun],
  reviewctl_run_records: ['Records of the last run, by outcome.', [...ofRun, 'outcome']],
  reviewctl_run_amount: [
    "Amounts of the last run in the shop's own unit, by outcome.",
    [...ofRun, 'outcome'],
  ],
};

/**
 * The text of a metrics file after a run, in the Prometheus text format. From `before`, the text so far, it keeps
 * everything of other commands and profiles, and this command's last success unless this run succeeded.
 */
export function runMetrics(summary: RunSummary, endedMs: number, before: string): Promise<string> {
  const registry = new Registry();
  const gauges = new Map(
    Object.entries(metrics).map(([name, [help, labelNames]]) => [
      name,
      new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] }),
    ]),
  );
  const known = samplesIn(before);
  const isSame = ({ labels }: Sample) =>
    labels['command'] === summary.command && labels['profile'] === summary.profile;
  const successBefore = known.find((sample) => sample.name === lastSuccess && isSame(sample))?.value ?? 0;
  const others = known.filter((sample) => !isSame(sample));
  for (const { name, labels, value } of [...others, ...samplesOf(summary, endedMs / 1000, successBefore)])
    gauges.get(name)?.set(labels, value);
  return registry.metrics();
}

function samplesOf(
  { command, profile, exitCode, seconds, counts, amounts = {} }: RunSummary,
  endedSeconds: number,
  successBefore: number,
): readonly Sample[] {
  const labels = { command, profile };
  const byOutcome = (name: string, values: Readonly<Record<string, number | string>>) =>
    Object.entries(values).map(
      ([outcome, value]): Sample => ({ name, labels: { ...labels, outcome }, value: Number(value) }),
    );
  return [
    { name: 'reviewctl_run_last_timestamp_seconds', labels, value: endedSeconds },
    { name: lastSuccess, labels, value: exitCode === 0 ? endedSeconds : successBefore },
    { name: 'reviewctl_run_exit_code', labels, value: exitCode },
    { name: 'reviewctl_run_duration_seconds', labels, value: seconds },
    ...byOutcome('reviewctl_run_records', counts),
    ...byOutcome('reviewctl_run_amount', amounts),
  ];
}

/** The samples of our metrics in a text; other lines are ignored. */
function samplesIn(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line): Sample[] => {
    const [, name = '', labels = '', value = ''] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
    const labelNames = metrics[name]?.[1];
    const read = labelsIn(labels);
    const isOurs = labelNames?.every((label) => Object.hasOwn(read, label)) ?? false;
    return isOurs && Number.isFinite(Number(value)) ? [{ name, labels: read, value: Number(value) }] : [];
  });
}

function labelsIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.matchAll(/\b(\w+)="((?:[^"\\]|\\.)*)(?:"|\\?$)/gs);
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, unescaped(value)]));
}

function unescaped(value: string): string {
  return value.replaceAll(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}
