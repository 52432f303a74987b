import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { sharedSandbox } from './open-place.ts';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';

const sandbox = await sharedSandbox({ token: 'canary' });

/** Runs login on a terminal, types `keys` at its prompt, then an answer to each further question. */
async function loginOnTerminal(
  baseUrl: string,
  keys: string,
  {
    flags = [],
    answers = [],
  }: { readonly flags?: readonly string[]; readonly answers?: readonly string[] } = {},
) {
  const folder = temporaryFolder();
  let hasTyped = false;
  let answered = 0;
  const result = await runOnTerminal(['login', '--base-url', baseUrl, ...flags], {
    env: { ...cleanEnvironment(folder), NO_COLOR: '1' },
    onShown: (shown, type) => {
      if (shown.split('(Enter if unknown):').length - 1 > answered) {
        type(answers[answered] ?? '\r');
        answered += 1;
      }
      if (hasTyped || !shown.includes('(not shown):')) return;
      hasTyped = true;
      type(keys);
    },
  });
  return { ...result, path: join(folder, 'config', 'config.json') };
}

test('a token that is typed is never shown, and corrections count', async () => {
  const { shown, path } = expectEnd(await loginOnTerminal(sandbox.baseUrl, 'x\u0015canx\u007fary\r'), 0);
  expect(shown.split('\n')[0]).toBe('Token (not shown): ');
  expect(shown).not.toContain('canary');
  expect(readFileSync(path, 'utf8')).toContain('"token": "canary"');
});

test('what the API document only refers to is asked for, and kept where it makes sense', async () => {
  const answers = [
    '/admin/v2/job/{jobId}\r',
    'GET /admin/v2/job/{jobId}\r',
    '\r',
    'GET /admin/v2/reward/{rewardId}\r',
  ];
  const { shown, path } = expectEnd(await loginOnTerminal(sandbox.baseUrl, 'canary\r', { answers }), 0);
  expect(shown).toContain('Operation that fetches one bulk job, such as GET /admin/v2/job/{jobId}');
  expect(shown).toContain('expected a method and a path with {jobId}, such as "GET /admin/v2/job/{jobId}"');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    profiles: {
      default: { 'get-job': 'GET /admin/v2/job/{jobId}', 'get-reward': 'GET /admin/v2/reward/{rewardId}' },
    },
  });
  expect(readFileSync(path, 'utf8')).not.toContain('create-orders');
});

test.each([
  ['Ctrl-D', '\u0004', 0, '\nnext, to see how a file is read'],
  ['Ctrl-C', '\u0003', 130, '\nerror: interrupted before the end'],
])('%s at such a question ends them, and the credential is kept', async (_, keys, code, told) => {
  const { shown, path } = expectEnd(
    await loginOnTerminal(sandbox.baseUrl, 'canary\r', { answers: [keys] }),
    code,
  );
  expect(shown).toContain(told);
  expect(shown.replaceAll(/\s+/g, ' ')).toContain(`stored in profile default: ${path}`);
  if (code === 130) expect(shown).not.toContain('creates whole orders');
  expect(readFileSync(path, 'utf8')).toContain('"token": "canary"');
});

test('a profile that is known is not asked about again', async () => {
  const env = { ...cleanEnvironment(temporaryFolder()), NO_COLOR: '1' };
  const login = async () => {
    let typed = 0;
    return runOnTerminal(['login', '--base-url', sandbox.baseUrl], {
      env,
      onShown: (shown, type) => {
        const asked = shown.split(/\(not shown\):|\(Enter if unknown\):/).length - 1;
        if (typed >= asked) return;
        type(typed === 0 ? 'canary\r' : '\r');
        typed += 1;
      },
    });
  };
  expect((await login()).shown).toContain('creates whole orders');
  expect((await login()).shown).not.toContain('Enter if unknown');
});

test('a key is asked for its secret', async () => {
  const ofKey = await serveSandbox({ port: 0, token: btoa('key:canary') });
  onTestFinished(() => ofKey.close());
  const { shown } = expectEnd(
    await loginOnTerminal(ofKey.baseUrl, 'canary\r', {
      flags: ['--key-id', 'key'],
    }),
    0,
  );
  expect(shown.split('\n')[0]).toBe('Secret of key key (not shown): ');
  expect(shown).not.toContain('canary');
});

test.each([
  ['Ctrl-C', 'canary\u0003', 130, 'error: interrupted at the question'],
  ['Ctrl-D', '\u0004', 2, 'error: no token was given'],
])('%s at the question keeps nothing and says so', async (_, keys, code, told) => {
  const { shown, path } = expectEnd(await loginOnTerminal('http://127.0.0.1:1', keys), code);
  expect(shown).toContain(told);
  expect(shown).not.toContain('canary');
  expect(existsSync(path)).toBe(false);
});

test('nobody is asked where that is not wanted', async () => {
  const { shown } = expectEnd(await loginOnTerminal('http://127.0.0.1:1', '', { flags: ['--no-input'] }), 2);
  expect(shown).toContain('--base-url http://127.0.0.1:1 < FILE');
});
