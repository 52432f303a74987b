import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hostileTexts, livingCharacters } from '../output/hostile-text.ts';
import { cleanEnvironment, expectEnd, expectNothing, runShell, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const env = cleanEnvironment(temporaryFolder());

describe('what was typed', () => {
  it.each(Object.entries(hostileTexts))(
    'never acts on a terminal when it is repeated: %s',
    async (_, text) => {
      for (const argv of [
        ['products', 'push', `--${text}`],
        ['products', text],
        [text],
        ['reviews', 'list', text],
      ]) {
        for (const isErrorTerminal of [true, false]) {
          const plain = { ...env, NO_COLOR: '1' };
          const { stderr } = expectNothing(await runInProcess(argv, { env: plain, isErrorTerminal }), 2);
          expect(livingCharacters(stderr)).toEqual([]);
        }
      }
    },
  );

  it('cannot pose as a message of the tool', async () => {
    const { stderr } = await runInProcess("reviews list '--x\nhint: run rm -rf /'", { env });
    expect(stderr).toBe(
      "error: unknown option '--x\n  hint: run rm -rf /'\nhint: for example: reviewctl reviews list --ratings 1,2 --created-at-start 7d; else see: reviewctl reviews list --help\n",
    );
  });
});

describe('a command line that makes no sense', () => {
  it.each([
    ['order push', "unknown command 'order'", 'did you mean orders? else see: reviewctl --help'],
    ['orders pusch', "unknown command 'pusch'", 'did you mean push? else see: reviewctl orders --help'],
    [
      'get 7',
      "unknown command 'get'",
      expect.stringMatching(/^did you mean products get, .* or \w+ get\? else see: /),
    ],
    ['ledger move', "unknown command 'move'", 'see: reviewctl ledger --help'],
    ['help orders psh', "unknown command 'psh'", 'did you mean push? else see: reviewctl orders --help'],
    ['help ordrs', "unknown command 'ordrs'", 'did you mean orders? else see: reviewctl --help'],
    [
      'api getProduct --path productId=1',
      "unknown option '--path'",
      'did you mean --param? else see: reviewctl api --help',
    ],
    ['frobnicate', "unknown command 'frobnicate'", 'see: reviewctl --help'],
    ['orders --foo', "unknown option '--foo'", 'see: reviewctl orders --help'],
    [
      'reviews list --rating 1',
      "unknown option '--rating'",
      'did you mean --ratings? else see: reviewctl reviews list --help',
    ],
    [
      'orders push',
      "missing required argument 'file'",
      'pass the files: reviewctl orders push FILE; or send a plan with --plan',
    ],
    [
      'reviews list -o tabel',
      "--output: expected table, ndjson, json, csv, ids, count or none, not 'tabel'",
      expect.stringMatching(/^did you mean table\? /),
    ],
    [
      'reviews list -o sideways',
      expect.stringMatching(/^--output: expected .*, not 'sideways'$/),
      expect.not.stringContaining('did you mean'),
    ],
    [
      'reviews list --fields ratng',
      "a review has no field 'ratng'",
      expect.stringMatching(/^did you mean rating\? choose --fields from: /),
    ],
    [
      'products create --origin-id P1 --name Cup --fields ig',
      "a product has no field 'ig'",
      expect.stringMatching(/^did you mean id\? /),
    ],
    ['completion tcsh', "no completion for shell 'tcsh'", 'available for bash, zsh, fish'],
  ])('is told with what to type instead: %s', async (words, message, hint) => {
    const { exitCode, stdout, stderr } = await runInProcess(words, {
      env: { ...env, REVIEWCTL_LOG_FORMAT: 'json' },
    });
    expect({ exitCode, stdout, told: JSON.parse(stderr) }).toEqual({
      exitCode: 2,
      stdout: '',
      told: {
        error: expect.objectContaining({ code: 'usage', message, hint, exitCode: 2, retry: 'after-change' }),
      },
    });
  });

  it.each([
    ['reviews list -o json --rating 1', {}],
    ['reviews list -c log-format=JSON --rating 1', {}],
    ['reviews lst', { REVIEWCTL_LOG_FORMAT: 'json' }],
  ])('is told in JSON to whoever asked for that: %j %j', async (argv, variables) => {
    const { stderr } = expectEnd(await runInProcess(argv, { env: { ...env, ...variables } }), 2);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'usage', message: expect.stringContaining('unknown') },
    });
  });
});

describe('how messages are written', () => {
  const isJson = (text: string) => text.startsWith('{"error":');

  it('is set by environment, folder and profile as well as by flag', async () => {
    const folder = temporaryFolder();
    const quiet = cleanEnvironment(folder);
    const run = (options: Parameters<typeof runInProcess>[1]) => runInProcess('reviews list', options);
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'reviewctl.json'), '{"log-format":"json"}');
    const byDefault = await run({ env: quiet });
    const byEnvironment = await run({ env: { ...quiet, REVIEWCTL_LOG_FORMAT: 'json' } });
    const byFolder = await run({ env: quiet, cwd: project });
    const byFlag = await runInProcess('reviews list -c log-format=text', {
      env: quiet,
      cwd: project,
    });
    const told = [byDefault, byEnvironment, byFolder, byFlag].map(({ exitCode, stderr }) => [
      exitCode,
      isJson(stderr),
    ]);
    expect(told).toEqual([
      [2, false],
      [2, true],
      [2, true],
      [2, false],
    ]);
  });

  it('shows stack traces where the environment asks for it', async () => {
    const { stderr } = await runInProcess('reviews list', { env: { ...env, REVIEWCTL_DEBUG: '1' } });
    expect(stderr).toContain('at requireBaseUrl');
  });

  it('that is no known way is told in text', async () => {
    expectEnd(
      await runInProcess('reviews list', {
        env: { ...env, REVIEWCTL_LOG_FORMAT: 'xml' },
      }),
      2,
      "error: REVIEWCTL_LOG_FORMAT: expected text or json, not 'xml'",
    );
  });
});

describe('help and version', () => {
  it.each([
    ['--version', /^\d+\.\d+\.\d+\n$/],
    ['-V reviews', /^\d+\.\d+\.\d+\n$/],
    ['--help', /^Usage: reviewctl /],
    ['reviews --help', /^Usage: reviewctl reviews /],
    ['help reviews list', /^Usage: reviewctl reviews list /],
  ])('%j go to stdout', async (argv, text) => {
    expect(await runInProcess(argv, { env })).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(text),
      stderr: '',
    });
  });

  it('of a noun alone go to stderr', async () => {
    expectNothing(await runInProcess('reviews', { env }), 2, /^Usage: reviewctl reviews /);
  });

  it.each(['--version', '--help', 'reviews list --help'])(
    '%s ends quietly when its reader goes away, and says so when the disk is full',
    async (words) => {
      const left = await runShell(`reviewctl ${words} | true`, { env });
      const full = await runShell(`reviewctl ${words} > /dev/full`, { env });
      expect({ left, full }).toEqual({
        left: { exitCode: 0, stdout: '', stderr: '' },
        full: {
          exitCode: 1,
          stdout: '',
          stderr: expect.stringMatching(/^error: could not write to stdout: ENOSPC.*\nhint: make sure .*\n$/),
        },
      });
    },
  );
});
