import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { authorityRemedy } from '../../src/base/tls-failure.ts';
import { serveSockets } from '../client/loopback.ts';
import { authorityFile, serveHttps } from '../client/serve-https.ts';
import type { CommandLine } from './run-cli.ts';
import { cleanEnvironment, expectEnd, runCli, temporaryFolder } from './run-cli.ts';

/** A service whose certificate no machine trusts, and a user who is set up for it. */
async function place() {
  const served = await serveHttps((_, outgoing) => outgoing.end('{"data":[],"totalCount":0}'));
  const folder = temporaryFolder();
  const env = { ...cleanEnvironment(folder), REVIEWCTL_BASE_URL: served.url, REVIEWCTL_TOKEN: 'canary' };
  const run = (args: CommandLine, more: Readonly<Record<string, string>> = {}) =>
    runCli(args, { env: { ...env, ...more }, cwd: folder });
  return { ...served, folder, run };
}

const list = ['reviews', 'list', '-c', 'retries=0'];

test.each([
  ['a list', list, 5],
  ['the doctor', ['doctor', '-c', 'retries=0'], 5],
])(
  '%s sends nothing to a service whose certificate leads to no known authority, and says what to do',
  async (_, args, exitCode) => {
    const { run, seen, url } = await place();
    const { stdout, stderr, ...ended } = await run([...args, '-o json']);
    expect(ended).toEqual({ exitCode });
    expect(stdout + stderr).toContain(
      `no secure connection to the server at ${url} (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
    );
    expect(stdout + stderr).toContain(authorityRemedy);
    expect(seen).toEqual([]);
  },
);

test('nor does it where the certificate was issued for another host', async () => {
  const { run, seen, port } = await place();
  expectEnd(
    await run([...list, `-c base-url=https://localhost:${port}`], {
      NODE_EXTRA_CA_CERTS: authorityFile,
    }),
    5,
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'hint: check the address and the network with: reviewctl doctor',
  );
  expect(seen).toEqual([]);
});

test('the file that the message asks for makes the authority known', async () => {
  const { run, seen } = await place();
  expectEnd(await run(list, { NODE_EXTRA_CA_CERTS: authorityFile }), 0);
  expect(seen).toHaveLength(1);
});

test.each([
  ['is missing', undefined, 'ENOENT: no such file or directory'],
  ['is empty', '', 'no start line'],
  ['holds no certificate', 'hello\n', 'no start line'],
])(
  'a file of certificates for a database that %s is refused before a connection is made',
  async (_, text, reason) => {
    const { run, folder } = await place();
    if (text !== undefined) writeFileSync(join(folder, 'ca.pem'), text);
    const path = join(folder, 'ca.pem');
    const address = `postgres://user@127.0.0.1:9/db?sslmode=verify-full&sslrootcert=${path}`;
    expectEnd(
      await run(`runs list -c shop=shop -c state=${address}`),
      2,
      `${path}, which sslrootcert names in the setting state, cannot be read: `,
      reason,
      'hint: check the path; it leads to the certificates (PEM)',
    );
  },
);

test('a database that offers no encryption receives nothing after that, above all no password', async () => {
  const { run } = await place();
  const received: Buffer[] = [];
  const { host } = await serveSockets((socket) => {
    socket.on('data', (bytes: Buffer) => {
      received.push(bytes);
      socket.write('N');
    });
  });
  const address = `postgres://user@${host}/db?sslmode=require`;
  expectEnd(
    await run(`runs list -c shop=shop -c state=${address}`, {
      PGPASSWORD: 'canary-password',
    }),
    5,
    'cannot be reached: The server does not support SSL connections',
  );
  // PostgreSQL's SSLRequest has eight bytes.
  expect(Buffer.concat(received)).toEqual(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
});
