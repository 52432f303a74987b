import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { cleanEnvironment, expectEnd, programPath, runShell, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const folder = temporaryFolder();
const env = cleanEnvironment(folder);

/** The candidates for the last word of a line, without their descriptions. */
async function candidates(line: string, variables: Readonly<Record<string, string>> = env) {
  const result = await runInProcess(['complete --', ...line.split(' ')], { env: variables });
  expect({ ...result, stdout: '' }).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  return result.stdout
    .split('\n')
    .slice(0, -1)
    .map((candidate) => candidate.split('\t')[0])
    .join(' ');
}

describe('what may be typed next', () => {
  it.each([
    ['ord', 'orders order-items'],
    ['comp', 'completion'],
    ['orders ', 'inspect push get update add-item'],
    ['help product-', 'product-groups'],
    ['help orders pu', 'push'],
    ['help orders push ', ''],
    ['reviews list --is-r', '--is-reported --is-rewarded'],
    ['reviews list --is-reported true --is-r', '--is-rewarded'],
    ['reviews list --is-reported ', 'true false'],
    ['reviews list -o c', 'csv count'],
    ['reviews list --output=c', '--output=csv --output=count'],
    // The same line as bash splits it.
    ['reviews list --output = c', 'csv count'],
    ['login -c log-format=', 'log-format=text log-format=json'],
    ['orders push --preset sm', 'smartstore'],
    ['rewards list --status Q', 'QUEUED'],
    ['orders push a', ':files'],
    ['orders push a.csv --dry-run ', ':files'],
    ['orders push --wait ', ':files'],
    ['orders push --rejects ', ':files'],
    ['orders push -c token-file=x', ':files'],
    ['orders push -c retries=', ''],
    ['completion ', 'bash zsh fish'],
    ['api listR', 'listReviews listRewards'],
    ['config get time-z', 'time-zone'],
    ['schema order-', 'order-items order-item'],
    ['frobnicate ', ''],
  ])('behind "%s" is "%s"', async (line, expected) => {
    expect(await candidates(line)).toBe(expected);
  });

  it('is explained behind a tab', async () => {
    const { stdout } = await runInProcess("complete -- payer ''", { env });
    expect(stdout).toMatch(/^check\ttest a payer /);
  });
});

describe('flags before the command', () => {
  it.each([
    ['--ver', '--version'],
    ['--he', '--help'],
    ['--pro', '--profile'],
    ['--output c', 'csv count'],
    ['--profile mall --quiet ord', 'orders order-items'],
    ['--profile orders order', 'orders order-items'],
    ['--profile=mall payer ', 'check'],
    ['--profile = mall payer ', 'check'],
    ['--profile mall reviews list --is-r', '--is-reported --is-rewarded'],
    ['--is-reported true reviews list --is-r', '--is-rewarded'],
    ['--wait orders push a', ':files'],
    ['-o json orders ', 'inspect push get update add-item'],
    ['-o json frobnicate x ', ''],
  ])('behind "%s" is "%s"', async (line, expected) => {
    expect(await candidates(line)).toBe(expected);
  });
});

describe('names of one’s own', () => {
  it('complete profiles', async () => {
    const config = join(folder, 'config');
    mkdirSync(config, { mode: 0o700 });
    const profiles = { mall: {}, market: {}, 'other-shop': {} };
    writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
    expect(await candidates('reviews list --profile ma')).toBe('mall market');
    expect(await candidates('profile use o')).toBe('other-shop');
  });

  it('complete runs, the newest first, of the service that is named', async () => {
    const place = cleanEnvironment(temporaryFolder());
    const sandbox = await serveSandbox({ port: 0 });
    onTestFinished(() => sandbox.close());
    const connected = { ...place, REVIEWCTL_BASE_URL: sandbox.baseUrl, REVIEWCTL_TOKEN: sandbox.token };
    const push = () =>
      runInProcess('categories push -', { env: connected, stdin: 'originId,name\nC1,Cups\n' });
    expect(await candidates('runs show ', connected)).toBe('');
    expect([(await push()).exitCode, (await push()).exitCode]).toEqual([0, 0]);
    const { stdout } = await runInProcess('runs list -o ids', { env: connected });
    const known = `last ${stdout.trimEnd().replaceAll('\n', ' ')}`;
    expect(await candidates('runs show ', connected)).toBe(known);
    expect(await candidates('report run ', connected)).toBe(known);
    expect(await candidates(`runs undo -c base-url=${sandbox.baseUrl} la`, place)).toBe('last');
    expect(await candidates('runs show ', place)).toBe('');
    const file = join(temporaryFolder(), 'a\u001b[31m.csv');
    writeFileSync(file, 'originId,name\nC1,Cups\n');
    expectEnd(await runInProcess(['categories push', file], { env: connected }), 0);
    const offered = await runInProcess("complete -- runs show ''", { env: connected });
    expect(offered.stdout).toContain('.csv');
    expect(offered.stdout).not.toContain('\u001b');
  });

  it('that cannot be read are none, and nothing is said', async () => {
    const place = cleanEnvironment(temporaryFolder());
    const broken = { ...place, REVIEWCTL_CONFIG_DIR: programPath };
    const result = await runInProcess("complete -- profile use ''", { env: broken });
    expect({ stdout: result.stdout, stderr: result.stderr }).toEqual({ stdout: '', stderr: '' });
  });
});

describe('the script', () => {
  it.each(['bash', 'zsh', 'fish'])(
    'of %s asks the program, and takes files from the shell',
    async (shell) => {
      const { stdout } = expectEnd(await runInProcess(`completion ${shell}`, { env }), 0);
      expect(stdout).toContain('reviewctl complete -- ');
      expect(stdout).toContain(':files');
    },
  );

  it('of bash completes words, values and files', async () => {
    const place = temporaryFolder();
    writeFileSync(join(place, 'orders 1.csv'), '');
    const lines = `
      source <(reviewctl completion bash)
      completed() {
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _reviewctl && (IFS='|'; echo "\${COMPREPLY[*]}")
      }
      completed reviewctl orders pu
      completed reviewctl orders push or
      completed reviewctl reviews list --output = c
      completed reviewctl frobnicate ''`;
    expect(await runShell(lines, { env, cwd: place })).toEqual({
      exitCode: 0,
      stdout: 'push\norders 1.csv\ncsv|count\n\n',
      stderr: '',
    });
  });

  it('of bash does so at the touch of Tab', async () => {
    const place = temporaryFolder();
    symlinkSync(programPath, join(place, 'reviewctl'));
    const PATH = `${place}:${env['PATH']}`;
    const terminal = spawn('bash', ['--norc', '--noprofile'], {
      env: { ...env, PATH, PS1: 'ready> ', TERM: 'dumb' },
      cols: 200,
    });
    const steps: readonly (readonly [seen: string, keys: string])[] = [
      ['ready> ', 'source <(reviewctl completion bash); echo sour""ced\r'],
      ['sourced', 'reviewctl order-items pu\t'],
      ['order-items push ', '--outp\t'],
      ['--output ', 'nd\t'],
      ['ndjson ', '\u0015exit\r'],
    ];
    let step = 0;
    let shown = '';
    await new Promise((resolve) => {
      terminal.onExit(resolve);
      terminal.onData((text) => {
        shown += text;
        const [seen = '', keys = ''] = steps[step] ?? [];
        if (step < steps.length && shown.includes(seen)) {
          step += 1;
          terminal.write(keys);
        }
      });
    });
    expect(shown).toContain('reviewctl order-items push --output ndjson ');
  });
});
