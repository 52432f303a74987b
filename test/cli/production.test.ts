import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { serveHttp } from '../client/loopback.ts';
import type { CommandLine } from './run-cli.ts';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';
import { runInProcess } from './run-program.ts';

const folder = temporaryFolder();
const file = join(folder, 'products.csv');
const env = cleanEnvironment(folder);
let sandbox: ServedSandbox;

beforeAll(async () => {
  sandbox = await serveSandbox({ port: 0, products: 2 });
  writeFileSync(file, 'originId,name\nP-1,Cup\n');
});
afterAll(() => sandbox.close());

/** Saves a profile with this production mark. */
function keepProfile(baseUrl: string, production: unknown) {
  const config = join(folder, 'config');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const settings = { 'base-url': baseUrl, token: sandbox.token, production };
  writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles: { default: settings } }), {
    mode: 0o600,
  });
}

const run = (argv: CommandLine, more: Readonly<Record<string, string>> = {}) =>
  runInProcess(argv, { env: { ...env, ...more }, cwd: folder });

const writes = [
  ['products', 'push', file],
  ['products', 'create', '--origin-id', 'P-2', '--name', 'Pot'],
  ['reviews', 'hide', '1'],
  ['api', 'createProduct', '--body', '{"originId":"P-3","name":"Pan"}'],
  ['sandbox', 'write-review'],
];

describe('with a profile that is marked production', () => {
  beforeEach(() => keepProfile(sandbox.baseUrl, true));

  it.each(writes)('no write leaves unasked: %s %s', async (...argv) => {
    const found = '{"data":[],"id":"1","isVisible":true}';
    const { url, seen } = await serveHttp((_, outgoing) => outgoing.end(found));
    for (const flags of argv[0] === 'sandbox' ? [[]] : [[], ['--no-input']]) {
      const { stderr } = expectEnd(await run([...argv, ...flags, `-c base-url=${url}`]), 2);
      expect(stderr.trimEnd().split('\n').slice(-2)).toEqual([
        `error: confirmation required: Write to ${url} with profile default, which is marked production?`,
        'hint: pass --yes, or run on a terminal',
      ]);
    }
    expect(seen.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('a refused push is not even on record', async () => {
    await run(`products push ${file}`);
    expect((await run('runs list -o count')).stdout).toBe('0\n');
  });

  it('reads and dry runs ask nothing', async () => {
    expect(await run('products list -o count')).toMatchObject({ exitCode: 0, stdout: '2\n' });
    expect(await run(`products push ${file} --dry-run -o ids`)).toMatchObject({
      exitCode: 0,
      stdout: 'P-1\n',
    });
  });

  it('--yes writes, and no variable does', async () => {
    expectEnd(await run(`products push ${file}`, { REVIEWCTL_YES: '1' }), 2);
    expectEnd(await run(`products push ${file} --yes`), 0);
  });

  it.each([
    ['y', 0, '1 product: 1 unchanged'],
    ['n', 2, 'cancelled; nothing was written'],
    ['', 2, 'cancelled; nothing was written'],
  ])('a person at the terminal is asked, and "%s" is exit %i', async (answer, code, told) => {
    await run(`products push ${file} --yes`);
    const { shown } = expectEnd(
      await runOnTerminal(['products', 'push', file], {
        env,
        cwd: folder,
        columns: 200,
        answers: [['[y/N]', `${answer}\r`]],
      }),
      code,
    );
    expect(shown.split('[y/N]').length - 1).toBe(1);
    expect(shown).toContain(told);
  });
});

it('-c and the environment mark a call as one of production, or say that it is none', async () => {
  keepProfile(sandbox.baseUrl, undefined);
  const push = `products push ${file}`;
  expectEnd(await run(`${push} -c production=true`), 2);
  expect(await run(push, { REVIEWCTL_PRODUCTION: 'true' })).toMatchObject({
    exitCode: 2,
    stderr: expect.not.stringContaining('no command reads'),
  });
  keepProfile(sandbox.baseUrl, true);
  expectEnd(await run(`${push} -c production=false`), 0);
});

it.each([
  [undefined, 0],
  [false, 0],
  ['false', 0],
  ['true', 2],
  ['yes', 2],
])('a profile whose mark is %j asks or not: exit %i', async (mark, code) => {
  keepProfile(sandbox.baseUrl, mark);
  expectEnd(await run(`products push ${file}`), code);
});
