import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { serveHttp } from '../client/loopback.ts';
import { sharedSandbox } from './open-place.ts';
import type { CommandLine } from './run-cli.ts';
import { cleanEnvironment, expectEnd, expectNothing, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const [keyId, secret] = ['canary-key', 'canary-secret'];
const token = Buffer.from(`${keyId}:${secret}`).toString('base64');
const sandbox = await sharedSandbox({ port: 0, token, products: 3 });

/** A new user's machine, and a function that runs commands on it. */
function newMachine() {
  const folder = temporaryFolder();
  const env = cleanEnvironment(folder);
  const path = join(folder, 'config', 'config.json');
  const run = (argv: CommandLine, stdin = '', more: Readonly<Record<string, string>> = {}) =>
    runInProcess(argv, { env: { ...env, ...more }, cwd: folder, stdin });
  const config = () => JSON.parse(readFileSync(path, 'utf8')) as unknown;
  return { folder, path, run, config };
}

const login = (...flags: readonly string[]) => ['login', '--base-url', sandbox.baseUrl, ...flags];
const kept = () => ({ 'base-url': sandbox.baseUrl, token });

describe('a credential that the service takes', () => {
  it.each([
    ['as a token', `${token}\n`, []],
    ['as a header says it', ` Basic ${token} \r\n`, []],
    ['as key id and secret, a line each', `${keyId}\n${secret}\n`, []],
    ['as the secret of a named key', `${secret}\n`, ['--key-id', keyId]],
  ])('is kept with the address, and used from then on: %s', async (_, stdin, flags) => {
    const { run, config, path } = newMachine();
    const { stderr } = expectNothing(await run(login(...flags), stdin), 0);
    expect(stderr.trimEnd().split('\n')).toEqual([
      `${sandbox.baseUrl} accepts the credential; it has 3 products`,
      `stored in profile default: ${path}`,
      'next, to see how a file is read: reviewctl products inspect FILE; to check everything: reviewctl doctor',
    ]);
    expect(config()).toEqual({ profiles: { default: kept() } });
    expect(await run('products list -o count')).toMatchObject({ exitCode: 0, stdout: '3\n' });
  });

  it('is read from a file that is named', async () => {
    const { folder, run, config } = newMachine();
    writeFileSync(join(folder, 'token'), token, { mode: 0o600 });
    expectEnd(await run(login('-c', `token-file=${join(folder, 'token')}`)), 0);
    expect(config()).toEqual({ profiles: { default: kept() } });
  });

  it('makes the first profile the current one, and leaves that alone for the others', async () => {
    const { run, config } = newMachine();
    await run(login('--profile mall'), token);
    const { stderr } = await run(login('--profile fair'), token);
    expect(config()).toEqual({ current: 'mall', profiles: { mall: kept(), fair: kept() } });
    expect(stderr).toContain(
      'next: add --profile fair to a command, or make it the default: reviewctl profile use fair',
    );
  });

  it.each(['a setting', 'what was sent'])('leaves a default profile in use that has %s', async (what) => {
    const { folder, run, config } = newMachine();
    if (what === 'a setting') await run('config set rate 5');
    else mkdirSync(join(folder, 'state', 'default'), { recursive: true });
    await run(login('--profile mall'), token);
    expect(config()).not.toHaveProperty('current');
  });

  it('leaves the other settings of the profile alone', async () => {
    const { run, config } = newMachine();
    await run('config set rate 5');
    await run(login(), token);
    expect(config()).toEqual({ profiles: { default: { rate: '5', ...kept() } } });
  });

  it('is kept even where a folder holds settings that are refused', async () => {
    const { folder, run, config } = newMachine();
    writeFileSync(join(folder, 'reviewctl.json'), '{"base-url":"http://127.0.0.1:1"}');
    expectEnd(await run(login(), token), 0);
    expect(config()).toEqual({ profiles: { default: kept() } });
  });

  it('is told to be outranked by variables that are set', async () => {
    const { run } = newMachine();
    const { stderr } = await run(login(), token, {
      REVIEWCTL_TOKEN: 'x',
      REVIEWCTL_BASE_URL: 'https://other.example',
    });
    expect(stderr).toContain(
      'warning: REVIEWCTL_TOKEN is set and overrides the stored credential\nhint: unset REVIEWCTL_TOKEN\n',
    );
    expect(stderr).toContain('hint: unset REVIEWCTL_BASE_URL\n');
  });
});

describe('what the API document leaves open', () => {
  it.each(['comma', 'brackets'] as const)('is tried where a GET can: arrays by %s', async (arrayQuery) => {
    const assumptions = { ...defaultAssumptions, arrayQuery };
    const other = await serveSandbox({ port: 0, token, products: 3, assumptions });
    try {
      const { run, config } = newMachine();
      expectEnd(
        await run(`login --base-url ${other.baseUrl}`, token),
        0,
        `array-query ${arrayQuery}: detected by requesting two products\n`,
      );
      const settings = { 'base-url': other.baseUrl, token, 'array-query': arrayQuery };
      expect(config()).toEqual({ profiles: { default: settings } });
    } finally {
      await other.close();
    }
  });

  it('is left as it is where the service lists too few products to try it', async () => {
    const other = await serveSandbox({ port: 0, token, products: 1 });
    try {
      const { run, config } = newMachine();
      await run(`login --base-url ${other.baseUrl}`, token);
      expect(config()).toEqual({ profiles: { default: { 'base-url': other.baseUrl, token } } });
    } finally {
      await other.close();
    }
  });

  it('is a warning where the service does not answer, and the credential is kept', async () => {
    let calls = 0;
    const { url } = await serveHttp((_, response) => {
      calls += 1;
      response.setHeader('content-type', 'application/json');
      if (calls > 1) response.statusCode = 403;
      response.end(
        JSON.stringify({ data: [], totalCount: 3, pageInfo: { hasNextPage: false, endCursor: null } }),
      );
    });
    const { run, config } = newMachine();
    expectEnd(
      await run(`login --base-url ${url} --profile mall`, token),
      0,
      /stored in profile mall.*\nwarning: could not detect how the service reads array parameters/s,
    );
    expect(config()).toEqual({ current: 'mall', profiles: { mall: { 'base-url': url, token } } });
  });

  it('is said where no form is understood', async () => {
    const product = (id: string) => ({ id, originId: `p${id}`, name: 'x' });
    const data = [product('1'), product('2'), product('3')];
    const { url } = await serveHttp((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ data, totalCount: 3, pageInfo: { hasNextPage: false, endCursor: null } }),
      );
    });
    const { run, config } = newMachine();
    expectEnd(
      await run(`login --base-url ${url}`, token),
      0,
      'reads array parameters in none of the known forms (repeat, comma, brackets)',
    );
    expect(config()).toEqual({ profiles: { default: { 'base-url': url, token } } });
  });
});

describe('login --same-shop', () => {
  it.each([
    ['REVIEWCTL_TOKEN', 'rate', '5', { REVIEWCTL_TOKEN: token }],
    ['profile default', 'token-command', `echo ${token}`, {}],
  ])('leaves the credential of %s where commands find it', async (place, setting, value, env) => {
    const { run, config } = newMachine();
    await run([`config set ${setting}`, value]);
    expectEnd(
      await run(login('--same-shop'), 'another', env),
      0,
      `accepts the credential; it stays in ${place}`,
    );
    expect(config()).toEqual({ profiles: { default: { [setting]: value } } });
  });

  it('stores the credential that it is given, and says that nothing is on record', async () => {
    const { run, config } = newMachine();
    const { stderr } = await run(login('--same-shop -c token-file=-'), token, { REVIEWCTL_TOKEN: 'x' });
    expect(stderr).toContain('nothing is recorded here with another credential\n');
    expect(config()).toEqual({ profiles: { default: kept() } });
  });
});

describe('nothing is kept', () => {
  it.each([
    [
      'of a credential the service refuses',
      'canary-wrong\n',
      [],
      4,
      /nothing was stored\nhint: to use the right one: reviewctl login --profile default --base-url http:\/\/127/,
    ],
    ['of an invalid token', 'canary canary\n', [], 2, /invalid token from the input/],
    [
      'of a refused secret',
      'canary-wrong\n',
      ['--key-id', 'key-4711'],
      4,
      /hint: to use the right one: reviewctl login --profile default --key-id key-4711 --base-url http:\/\/127/,
    ],
    [
      'of nothing',
      '\n',
      [],
      2,
      /no token was given\nhint: .*: reviewctl login --profile default --base-url http:\S+ < FILE\n/,
    ],
    ['of three lines', 'canary-1\ncanary-2\ncanary-3\n', [], 2, /the input has more than a token/],
    [
      'of two lines where the key is named',
      'canary-1\ncanary-2\n',
      ['--key-id', 'k'],
      2,
      /the input has more than a secret of key k/,
    ],
    ['of a key id with its secret', '', ['--key-id', 'a:canary'], 2, /--key-id takes the id alone/],
  ] as const)('%s, and none of it is repeated', async (_, stdin, flags, code, told) => {
    const { path, run } = newMachine();
    const { stderr } = expectEnd(await run(login(...flags, '--debug'), stdin), code, told);
    expect(stderr).not.toContain('canary');
    expect(existsSync(path)).toBe(false);
  });

  it('of a secret that a service repeats in its refusal, and the secret is not shown', async () => {
    const { url } = await serveHttp((_, outgoing) =>
      outgoing
        .writeHead(400, { 'content-type': 'application/json' })
        .end(`{"detail":"what is canary-secret?"}`),
    );
    const { path, run } = newMachine();
    expectEnd(await run(`login --base-url ${url} --key-id k`, 'canary-secret'), 2, 'what is [redacted]?');
    expect(existsSync(path)).toBe(false);
  });

  it('where no service is named', async () => {
    expectEnd(await newMachine().run('login', token), 2, 'reviewctl login --base-url https://…');
  });

  it('by a flag that takes a token or a secret, for there is none', async () => {
    const { run } = newMachine();
    for (const flag of ['--token', '--secret', '--key-secret', '--password']) {
      expect(await run(login(flag, 'canary'))).toMatchObject({ exitCode: 2, stdout: '' });
    }
  });
});

describe('logout', () => {
  it('takes the credential away and says what remains', async () => {
    const { run, config } = newMachine();
    await run(login(), token);
    await run('config set rate 7');
    expect(await run('logout')).toMatchObject({
      exitCode: 0,
      stderr:
        'the credential of profile default was removed from this machine; the service still accepts it\nprofile default still has: base-url, rate\n',
    });
    expect(config()).toEqual({ profiles: { default: { 'base-url': sandbox.baseUrl, rate: '7' } } });
    expectEnd(await run('products list'), 4, 'hint: reviewctl login --profile default; or');
  });

  it('takes the profile away where nothing but the login is in it', async () => {
    const { run, config } = newMachine();
    await run(login('--profile mall'), token);
    expect(await run('logout')).toMatchObject({
      exitCode: 0,
      stderr:
        'the credential of profile mall was removed from this machine; the service still accepts it\n' +
        `nothing else was set, so the profile was removed, too; to log in again: reviewctl login --profile mall --base-url ${sandbox.baseUrl}\n`,
    });
    expect(config()).toEqual({ profiles: {} });
  });

  it('of a profile that keeps none says so, and that a variable gives one still', async () => {
    const { run } = newMachine();
    expect(await run('logout', '', { REVIEWCTL_TOKEN: 'canary' })).toMatchObject({
      exitCode: 0,
      stderr:
        'profile default has no stored credential\nwarning: REVIEWCTL_TOKEN still provides a credential\nhint: unset REVIEWCTL_TOKEN\n',
    });
  });

  it('of a profile that is not there is exit 2', async () => {
    expectEnd(await newMachine().run('logout --profile mall'), 2, "there is no profile 'mall'");
  });
});
