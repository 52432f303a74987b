import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { commandWords } from '../src/base/command-words.ts';
import { findSettingNames } from '../src/cli/help/all-setting-flags.ts';
import { unknownVariables } from '../src/cli/settings/setting-names.ts';
import { parseCommandLine } from './cli/parse-command-line.ts';
import { programPath, temporaryFolder } from './cli/run-cli.ts';
import { actionsOf, codesOf, seeUnprivileged } from './kubernetes.ts';
import { documentationPages, fencedBlocks } from './markdown.ts';
import { trackedFiles } from './tracked-files.ts';

const files = trackedFiles('fixtures/deploy');
const textOf = (name: string) => files.find(({ path }) => path.endsWith(`/${name}`))?.text ?? '';
const units = files.filter(({ path }) => /\.(?:service|timer)$/.test(path));
const services = units.filter(({ path }) => path.endsWith('.service'));

type Words = readonly string[];

/** The commands of this program in shell or crontab lines, up to a pipe or redirection. */
const shellCommands = (text: string): readonly Words[] =>
  [...text.matchAll(/\breviewctl ((?:"[^"]*"|'[^']*'|[^\n|;&)<>"'])*)/g)].map(([, line = '']) =>
    commandWords(line.replace(/ \d$/, '').replaceAll('\\%', '%').trim(), 'the line'),
  );

const withoutComments = (text: string) => text.replaceAll(/^\s*#.*$/gm, '');

const unitCommands = (text: string): readonly Words[] =>
  [...text.matchAll(/^ExecStart=\S*\/reviewctl (.*)$/gm)].map(([, line = '']) =>
    commandWords(line, 'ExecStart'),
  );

// Kubernetes parses YAML 1.1, in which 0400 is octal.
const yaml = parseAllDocuments(textOf('settle-cronjob.yaml'), { version: '1.1' });
const [cronJob, claim] = yaml.map((document) => {
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
});
const jobSpec = cronJob.spec.jobTemplate.spec;
const podSpec = jobSpec.template.spec;
const [container] = podSpec.containers;

const imageWords = (instruction: string): Words =>
  JSON.parse(new RegExp(`^${instruction} (.*)$`, 'm').exec(textOf('Dockerfile'))?.[1] ?? '[]');

const blocks = (language: string) =>
  documentationPages().flatMap(({ path, text }) =>
    fencedBlocks(text, language).map((block) => ({ path, block })),
  );

const lines: readonly { readonly place: string; readonly words: Words }[] = [
  ...services.map(({ path, text }) => ({ path, found: unitCommands(text) })),
  { path: 'fixtures/deploy/crontab', found: shellCommands(withoutComments(textOf('crontab'))) },
  { path: 'fixtures/deploy/settle-cronjob.yaml', found: [container.args as Words] },
  { path: 'fixtures/deploy/Dockerfile', found: [imageWords('CMD')] },
  ...blocks('crontab').map(({ path, block }) => ({ path, found: shellCommands(withoutComments(block)) })),
  ...blocks('ini').map(({ path, block }) => ({ path, found: unitCommands(block) })),
].flatMap(({ path, found }) => found.map((words, index) => ({ place: `${path} ${index + 1}`, words })));

describe('every command line that a file of deployment starts', () => {
  it('is found', () => {
    const paths = lines.map(({ place }) => place.split(' ')[0]);
    expect(paths).toEqual(
      expect.arrayContaining([
        'fixtures/deploy/reviewctl-settle.service',
        'fixtures/deploy/reviewctl-listen.service',
        'fixtures/deploy/crontab',
        'fixtures/deploy/settle-cronjob.yaml',
        'fixtures/deploy/Dockerfile',
        'docs/monitoring.md',
        'docs/rewards.md',
      ]),
    );
    expect(paths.filter((path) => path === 'fixtures/deploy/crontab')).toHaveLength(5);
  });

  it.each(lines)('is understood by this program: $place', async ({ words }) => {
    await parseCommandLine(words);
  });

  it.each([['rewards settle --payer cash'], ['rewards settle --max-amounts 5'], ['ledger backup']])(
    'would be refused if it were: %s',
    async (line) => {
      await expect(parseCommandLine(line.split(' '))).rejects.toThrow();
    },
  );

  it('sets no variable that no command reads', async () => {
    const names = files.flatMap(({ text }) => text.match(/\bREVIEWCTL_\w+/g) ?? []);
    const env = Object.fromEntries(names.map((name) => [name, 'x']));
    expect(names.length).toBeGreaterThan(5);
    expect(await unknownVariables(env, findSettingNames)).toEqual([]);
  });
});

it('no crontab compares the ledger with the service while cron starts a settlement', () => {
  const crontabs = [textOf('crontab'), ...blocks('crontab').map(({ block }) => block)].join('\n');
  const minutes = [...crontabs.matchAll(/^(\d+) .*ledger reconcile/gm)].map(([, minute]) => Number(minute));
  expect(crontabs).toMatch(/^\*\/10 .*rewards settle/m);
  expect(minutes.map((minute) => minute % 10)).toEqual([5, 5, 5]);
});

describe('the units of systemd', () => {
  const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0;

  /** Writes the units to a folder of the test, with this program in place of the installed one. */
  function unitFiles(): string[] {
    const folder = temporaryFolder();
    return units.map(({ path, text }) => {
      const file = join(folder, path.replace(/^.*\//, ''));
      writeFileSync(file, text.replaceAll('/usr/local/bin/reviewctl', programPath));
      return file;
    });
  }

  it('are accepted by systemd, where it is installed, without a warning, and expose little', () => {
    if (!isInstalled) return;
    const paths = unitFiles();
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' });
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    for (const path of paths.filter((unit) => unit.endsWith('.service'))) {
      const examined = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', path]);
      expect(examined.status).toBe(0);
    }
  });

  it.each(services)(
    'run $path as a user of its own, on a read-only machine, with credentials from files',
    ({ text }) => {
      const missing = [
        'User=reviewctl',
        'LoadCredential=reviewctl-token:',
        'StateDirectory=reviewctl',
        'StateDirectoryMode=0700',
        'ProtectSystem=strict',
        'ProtectHome=yes',
        'NoNewPrivileges=yes',
        'KillMode=mixed',
        'UMask=0077',
      ].filter((line) => !text.includes(`\n${line}`));
      expect(missing).toEqual([]);
      expect(text).not.toContain('REVIEWCTL_TOKEN');
      // Only root opens /etc/reviewctl, so the program must not look for settings there.
      expect(text).not.toMatch(/^Environment=.*(?:%E|\/etc)\b/m);
    },
  );

  it('that receive calls report their readiness and are not restarted where a person has to act', () => {
    const text = textOf('reviewctl-listen.service');
    expect(text).toContain('\nType=notify\n');
    expect(text).toContain('\nNotifyAccess=all\n');
    expect(text).toContain('\nRestartPreventExitStatus=2 4 12\n');
  });
});

describe('the CronJob of Kubernetes', () => {
  it('never runs twice at once, on a volume that one pod can mount', () => {
    expect(cronJob).toMatchObject({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      spec: { concurrencyPolicy: 'Forbid' },
    });
    expect(podSpec.restartPolicy).toBe('Never');
    expect(claim.spec.accessModes).toEqual(['ReadWriteOncePod']);
    const mounted = new Set(container.volumeMounts.map(({ name }: { name: string }) => name));
    expect(new Set(podSpec.volumes.map(({ name }: { name: string }) => name))).toEqual(mounted);
  });

  it('has one answer to every exit code of the command', async () => {
    const actions = actionsOf(
      jobSpec.podFailurePolicy.rules,
      container.name,
      await codesOf('rewards settle', []),
    );
    expect(actions).toMatchObject({ 5: 'Count', 9: 'Ignore', 11: 'FailJob', 12: 'FailJob' });
  });

  it('runs as nobody in particular, with nothing to write to but its volumes', () =>
    seeUnprivileged(podSpec));

  it('mounts its secrets where this program takes them, closed to others', () => {
    const secrets = podSpec.volumes.find(({ name }: { name: string }) => name === 'secrets');
    expect(secrets.secret.defaultMode).toBe(0o400);
    const mount = container.volumeMounts.find(({ name }: { name: string }) => name === 'secrets');
    expect(mount).toMatchObject({ readOnly: true, mountPath: expect.stringMatching(/^\/run\/secrets\//) });
  });
});

it('the image runs this program as an unprivileged user', () => {
  expect(imageWords('ENTRYPOINT')).toEqual(['reviewctl']);
  expect(textOf('Dockerfile')).toMatch(/^USER 1000:1000$/m);
});
