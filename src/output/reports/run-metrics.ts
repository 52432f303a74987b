import type { RunSummary } from './run-summary.ts';

const lastSuccess = 'reviewctl_run_last_success_timestamp_seconds';

/** Every metric by its name, with its help. */
const metrics: Readonly<Record<string, string>> = {
  reviewctl_run_last_timestamp_seconds: 'When the command last ended, with any exit code.',
  [lastSuccess]: 'When the command last ended with exit code 0; 0 if it never did.',
  reviewctl_run_exit_code: 'The exit code of the last run.',
  reviewctl_run_duration_seconds: 'How long the last run took.',
  reviewctl_run_records: 'Records of the last run, by outcome.',
  reviewctl_run_amount: "Amounts of the last run in the shop's own unit, by outcome.",
};

const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
/** A line of a metrics file: the name of a metric, the labels of its run, and its value. */
const sampleLine = new RegExp(
  `^(\\w+)\\{(command=${quoted},profile=${quoted})(?:,outcome=${quoted})?\\} (\\S+)$`,
);

/**
 * The text of a metrics file after a run, in the Prometheus text format. From `before`, the text so far, it keeps the
 * lines of other commands and profiles, and this command's last success unless this run succeeded.
 */
export function runMetrics(summary: RunSummary, endedMs: number, before: string): string {
  const labels = `command=${labelValue(summary.command)},profile=${labelValue(summary.profile)}`;
  const known = before.split('\n').flatMap((line) => {
    const [, name, ofRun, value] = sampleLine.exec(line) ?? [];
    return Number.isFinite(Number(value)) ? [{ name, ofRun, value, line }] : [];
  });
  const successBefore = known.find(({ name, ofRun }) => name === lastSuccess && ofRun === labels)?.value;
  const own = samplesOf(summary, endedMs / 1000, successBefore ?? '0');
  const texts = Object.entries(metrics).map(([name, help]) => {
    const others = known.filter((one) => one.name === name && one.ofRun !== labels).map(({ line }) => line);
    const ours = own
      .filter((one) => one.name === name)
      .map(({ outcome, value }) => `${name}{${labels}${outcome ?? ''}} ${value}`);
    return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...others, ...ours].join('\n');
  });
  return `${texts.join('\n\n')}\n`;
}

function samplesOf(
  { exitCode, seconds, counts, amounts = {} }: RunSummary,
  endedSeconds: number,
  successBefore: string,
): readonly { readonly name: string; readonly outcome?: string; readonly value: number | string }[] {
  const byOutcome = (name: string, values: Readonly<Record<string, number | string>>) =>
    Object.entries(values).map(([outcome, value]) => ({
      name,
      outcome: `,outcome=${labelValue(outcome)}`,
      value: Number(value),
    }));
  return [
    { name: 'reviewctl_run_last_timestamp_seconds', value: endedSeconds },
    { name: lastSuccess, value: exitCode === 0 ? endedSeconds : successBefore },
    { name: 'reviewctl_run_exit_code', value: exitCode },
    { name: 'reviewctl_run_duration_seconds', value: seconds },
    ...byOutcome('reviewctl_run_records', counts),
    ...byOutcome('reviewctl_run_amount', amounts),
  ];
}

function labelValue(value: string): string {
  return `"${value.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`;
}
