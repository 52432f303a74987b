import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { commandWords } from '../../src/base/command-words.ts';
import { findSettingNames } from '../../src/cli/help/all-setting-flags.ts';
import { unknownVariables } from '../../src/cli/settings/setting-names.ts';
import { findShard } from '../../src/cli/templates/push/find-shard.ts';
import { parseCommandLine } from '../cli/parse-command-line.ts';
import { actionsOf, codesOf, seeUnprivileged } from '../kubernetes.ts';
import { trackedFiles } from '../tracked-files.ts';

const files = trackedFiles('fixtures/scale');
const textOf = (name: string) => files.find(({ path }) => path.endsWith(`/${name}`))?.text ?? '';

// Kubernetes parses YAML 1.1, in which 0400 is octal.
const [job, claim] = parseAllDocuments(textOf('orders-job.yaml'), { version: '1.1' }).map((document) => {
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
});
const podSpec = job.spec.template.spec;
const [container] = podSpec.containers;

const definition = JSON.parse(textOf('aws-batch-job-definition.json'));
const array = JSON.parse(textOf('aws-batch-job.json'));

/** The commands of this program in a script, as GNU parallel runs the third one. */
const scriptCommands = [...textOf('parallel.sh').matchAll(/^(?: {2}|exec )reviewctl (.*)$/gm)].map(
  ([, line = '']) => commandWords(line.replace('{}', '3'), 'the line'),
);

const commandLines: readonly (readonly [scheduler: string, words: readonly string[]])[] = [
  ['Kubernetes', container.args],
  ['AWS Batch', definition.containerProperties.command],
  ...scriptCommands.map((words) => ['GNU parallel', words] as const),
];

const auto = { index: 'auto', count: 'auto' } as const;

/** Exit codes of an orders push, including 12, which refuses the state of others. */
const codesOfPush = () => codesOf('orders push', [12]);

describe('every command line that starts a shard', () => {
  it.each(commandLines)('is understood by this program: %s', async (_, words) => {
    await parseCommandLine(words);
  });

  it('is there', () => {
    expect(scriptCommands.map(([noun, verb]) => `${noun} ${verb}`)).toEqual(['orders push', 'runs show']);
  });

  it('is started with variables that are read', async () => {
    const names = files.flatMap(({ text }) => text.match(/\bREVIEWCTL_\w+/g) ?? []);
    expect(names.length).toBeGreaterThan(3);
    const env = Object.fromEntries(names.map((name) => [name, 'x']));
    expect(await unknownVariables(env, findSettingNames)).toEqual([]);
  });
});

describe('the Indexed Job of Kubernetes', () => {
  it('gives each pod its shard', () => {
    const { completions, parallelism, completionMode } = job.spec;
    expect({ completionMode, parallelism }).toEqual({ completionMode: 'Indexed', parallelism: completions });
    const values = container.env.map(({ name, value = '0' }: { name: string; value?: string }) => [
      name,
      value,
    ]);
    const shard = findShard(auto, Object.fromEntries(values));
    expect(shard).toEqual({ index: 1, count: completions });
  });

  it('keeps the journal of each shard for its next pod, and never runs two pods of one shard', () => {
    expect(job.spec.podReplacementPolicy).toBe('Failed');
    const state = container.volumeMounts.find(({ name }: { name: string }) => name === 'state');
    expect(state).toEqual({
      name: 'state',
      mountPath: container.env.find(({ name }: { name: string }) => name === 'REVIEWCTL_STATE_DIR').value,
      subPathExpr: '$(JOB_COMPLETION_INDEX)',
    });
    expect(claim.spec.accessModes).toEqual(['ReadWriteMany']);
    const mounted = new Set(container.volumeMounts.map(({ name }: { name: string }) => name));
    expect(new Set(podSpec.volumes.map(({ name }: { name: string }) => name))).toEqual(mounted);
  });

  it('has one answer to every exit code of the command', async () => {
    const actions = actionsOf(job.spec.podFailurePolicy.rules, container.name, await codesOfPush());
    expect(actions).toMatchObject({ 3: 'FailIndex', 5: 'Count', 11: 'FailIndex', 12: 'FailJob' });
    // FailIndex requires a limit for each index.
    expect(job.spec.backoffLimitPerIndex).toBe(5);
    expect(podSpec.restartPolicy).toBe('Never');
  });

  it('runs as nobody in particular, with nothing to write to but its volumes', () =>
    seeUnprivileged(podSpec));
});

describe('the array of AWS Batch', () => {
  const { retryStrategy, containerProperties } = definition;

  it('gives each job its shard, and a state folder of its own', () => {
    expect(array.jobDefinition).toBe(definition.jobDefinitionName);
    const { size } = array.arrayProperties;
    const env = { AWS_BATCH_JOB_ARRAY_INDEX: `${size - 1}`, AWS_BATCH_JOB_ARRAY_SIZE: `${size}` };
    expect(findShard(auto, env)).toEqual({ index: size, count: size });
    const [, entrypoint = '[]'] = /^ENTRYPOINT (.*)$/m.exec(textOf('aws-batch.Dockerfile')) ?? [];
    const [shell, option, script] = JSON.parse(entrypoint);
    const shown = spawnSync(shell, [option, script.replace('exec reviewctl', 'exec env'), 'reviewctl'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    const folder = /^REVIEWCTL_STATE_DIR=(.*)$/m.exec(shown.stdout)?.[1] ?? '';
    const mounts = containerProperties.mountPoints.map(
      ({ containerPath }: { containerPath: string }) => containerPath,
    );
    expect(folder).toBe('/state/7');
    expect(mounts).toContain('/state');
  });

  it('retries what the same command continues, and nothing else', async () => {
    const rules: readonly { onExitCode?: string; onReason?: string; action: string }[] =
      retryStrategy.evaluateOnExit;
    // AWS allows five rules, and retries a job to which none applies.
    expect(rules.length).toBeLessThanOrEqual(5);
    expect(rules.at(-1)).toEqual({ onReason: '*', action: 'EXIT' });
    const patterns = rules.flatMap(({ onExitCode = [], action }) => (action === 'RETRY' ? onExitCode : []));
    const isRetried = (code: number) =>
      patterns.some((pattern) =>
        pattern.endsWith('*') ? `${code}`.startsWith(pattern.slice(0, -1)) : pattern === `${code}`,
      );
    expect((await codesOfPush()).filter(isRetried)).toEqual([5, 8, 143]);
  });
});

it('the script for GNU parallel is one that a shell understands', () => {
  const checked = spawnSync('sh', ['-n', '-s'], { input: textOf('parallel.sh'), encoding: 'utf8' });
  expect([checked.status, checked.stderr]).toEqual([0, '']);
});
