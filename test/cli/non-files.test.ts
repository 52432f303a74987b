import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place, push } from './named-pipe.ts';
import { expectEnd } from './run-cli.ts';

test.each<readonly [what: string, line: string, env: Readonly<Record<string, string>>]>([
  ['the settings of a folder', 'mkfifo reviewctl.json; reviewctl config list', {}],
  ['the file of a token', 'reviewctl products list -c token-file=pipe', { REVIEWCTL_TOKEN: '' }],
  ['a body', 'reviewctl products create --body @pipe', {}],
  [
    'the headers of a payer',
    'reviewctl payer check --payer-url http://127.0.0.1:9 -c payer-header-file=pipe',
    {},
  ],
  ['a ledger', 'reviewctl ledger status -c ledger=pipe', {}],
  [
    'the certificates of a database',
    "reviewctl runs list -c shop=s -c 'state=postgres://u@127.0.0.1:9/d?sslmode=verify-full&sslrootcert=pipe'",
    {},
  ],
  ['the password of a workbook', `${push} items.csv -c workbook-password-file=pipe`, {}],
  ['input', `${push} items.csv pipe`, {}],
  ['input that a program writes to', `exec 8<> pipe; echo originId >&8; ${push} pipe`, {}],
])('a named pipe as %s is refused at once', async (_, line, env) => {
  expectEnd(await place().run(line, env), 2, 'it is a named pipe, not a file');
});

test('the settings of the user are not read from a named pipe', async () => {
  const { folder, run } = place();
  mkdirSync(join(folder, 'own'), { mode: 0o700 });
  execFileSync('sh', ['-c', 'mkfifo -m 600 "$0"', join(folder, 'own', 'config.json')]);
  expectEnd(
    await run('reviewctl profile list', {
      REVIEWCTL_CONFIG_DIR: join(folder, 'own'),
    }),
    2,
    'it is a named pipe, not a file',
  );
});

test('metrics are not written to a named pipe, which is said and changes nothing else', async () => {
  const line = 'mkfifo x.prom; reviewctl orders push items.csv -c retries=0 -c metrics-file=x.prom';
  expectEnd(
    await place().run(line),
    5,
    'the metrics of this run were not written: it is a named pipe, not a file',
  );
});

test('a named pipe as the program of a payer is refused at once', async () => {
  const { folder, run } = place();
  chmodSync(join(folder, 'pipe'), 0o700);
  expectEnd(await run(`reviewctl payer check --payer-command ${folder}/pipe`), 2, 'is not a file');
});

test('a device and a socket as input are refused at once', async () => {
  const { folder, run } = place();
  expect(await run(`${push} /dev/zero`)).toMatchObject({
    stderr: expect.stringContaining('it is a device, not a file'),
    exitCode: 2,
  });
  const server = createServer().listen(join(folder, 'socket'));
  expect((await run(`${push} socket`)).stderr).toContain('it is a socket, not a file');
  server.close();
});

test('a token is read from process substitution', async () => {
  const { stderr } = await place().run('reviewctl products list -c retries=0 -c token-file=<(echo secret)', {
    REVIEWCTL_TOKEN: '',
  });
  expect(stderr).toContain('127.0.0.1:9');
  expect(stderr).not.toContain('token file');
});
