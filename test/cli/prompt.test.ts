import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { cleanEnvironment, temporaryFolder } from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';

/** Runs login on a terminal and types `keys` once it is asked, then an answer to each further question. */
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
  const sandbox = await serveSandbox({ port: 0, token: 'canary' });
  try {
    const { exitCode, shown, path } = await loginOnTerminal(sandbox.baseUrl, 'x\u0015canx\u007fary\r');
    expect({ exitCode, shown: shown.split('\n')[0] }).toEqual({ exitCode: 0, shown: 'Token (not shown): ' });
    expect(shown).not.toContain('canary');
    expect(readFileSync(path, 'utf8')).toContain('"token": "canary"');
  } finally {
    await sandbox.close();
  }
});

test('what the API document only refers to is asked for, and kept where it makes sense', async () => {
  const sandbox = await serveSandbox({ port: 0, token: 'canary' });
  try {
    const answers = [
      '/admin/v2/job/{jobId}\r',
      'GET /admin/v2/job/{jobId}\r',
      '\r',
      'GET /admin/v2/reward/{rewardId}\r',
    ];
    const { exitCode, shown, path } = await loginOnTerminal(sandbox.baseUrl, 'canary\r', { answers });
    expect(exitCode).toBe(0);
    expect(shown).toContain('Operation that fetches one bulk job, such as GET /admin/v2/job/{jobId}');
    expect(shown).toContain('expected a method and a path, such as "GET /admin/v2/job/{jobId}"');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      profiles: {
        default: { 'get-job': 'GET /admin/v2/job/{jobId}', 'get-reward': 'GET /admin/v2/reward/{rewardId}' },
      },
    });
    expect(readFileSync(path, 'utf8')).not.toContain('create-orders');
  } finally {
    await sandbox.close();
  }
});

test.each([
  ['Ctrl-D', '\u0004', 0, 'next, to see how a file is read'],
  ['Ctrl-C', '\u0003', 130, 'error: interrupted before the end'],
])('%s at such a question ends them, and the credential is kept', async (_, keys, code, told) => {
  const sandbox = await serveSandbox({ port: 0, token: 'canary' });
  try {
    const answers = [keys];
    const { exitCode, shown, path } = await loginOnTerminal(sandbox.baseUrl, 'canary\r', { answers });
    expect({ exitCode, shown }).toEqual({ exitCode: code, shown: expect.stringContaining(told) });
    expect(shown.replaceAll(/\s+/g, ' ')).toContain(`stored in profile default: ${path}`);
    if (code === 130) expect(shown).not.toContain('creates whole orders');
    expect(readFileSync(path, 'utf8')).toContain('"token": "canary"');
  } finally {
    await sandbox.close();
  }
});

test('a profile that is known is not asked about again', async () => {
  const sandbox = await serveSandbox({ port: 0, token: 'canary' });
  try {
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
  } finally {
    await sandbox.close();
  }
});

test('a key is asked for its secret', async () => {
  const sandbox = await serveSandbox({ port: 0, token: Buffer.from('key:canary').toString('base64') });
  try {
    const { exitCode, shown } = await loginOnTerminal(sandbox.baseUrl, 'canary\r', {
      flags: ['--key-id', 'key'],
    });
    expect({ exitCode, asked: shown.split('\n')[0] }).toEqual({
      exitCode: 0,
      asked: 'Secret of key key (not shown): ',
    });
    expect(shown).not.toContain('canary');
  } finally {
    await sandbox.close();
  }
});

test.each([
  ['Ctrl-C', 'canary\u0003', 130, 'error: interrupted at the question'],
  ['Ctrl-D', '\u0004', 2, 'error: no token was given'],
])('%s at the question keeps nothing and says so', async (_, keys, code, told) => {
  const { exitCode, shown, path } = await loginOnTerminal('http://127.0.0.1:1', keys);
  expect(exitCode).toBe(code);
  expect(shown).toContain(told);
  expect(shown).not.toContain('canary');
  expect(existsSync(path)).toBe(false);
});

test('nobody is asked where that is not wanted', async () => {
  const { exitCode, shown } = await loginOnTerminal('http://127.0.0.1:1', '', { flags: ['--no-input'] });
  expect(exitCode).toBe(2);
  expect(shown).toContain('hint: pipe it in: reviewctl login < FILE');
});
