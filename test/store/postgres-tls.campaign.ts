import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/store/sql/connection.ts';
import { parsePostgresUrl, postgresUrl } from '../../src/store/sql/postgres-address.ts';
import { freePort } from '../client/free-port.ts';
import { authorityFile, certificateFiles } from '../client/serve-https.ts';
import { postgresUser, userOfServer } from './postgres-server.ts';
import { withPostgres } from './with-postgres.ts';

const port = await freePort();

/** The server uses its own key only, and may lack access to the project's folder. */
const folder = mkdtempSync(join(tmpdir(), 'reviewctl-tls-'));
const own = { cert: join(folder, 'server.pem'), key: join(folder, 'server.key') };
copyFileSync(certificateFiles.cert, own.cert);
copyFileSync(certificateFiles.key, own.key);
chmodSync(own.key, 0o600);
const { uid, gid } = userOfServer();
if (uid !== undefined && gid !== undefined) {
  for (const path of [folder, own.cert, own.key]) chownSync(path, uid, gid);
}
afterAll(() => rmSync(folder, { recursive: true }));

const settings = [
  ...['listen_addresses=127.0.0.1', `port=${port}`],
  ...['ssl=on', `ssl_cert_file=${own.cert}`, `ssl_key_file=${own.key}`],
];

/** Opens a session; returns the server's answer whether it is encrypted. */
async function isEncrypted(parameters: string, host = '127.0.0.1'): Promise<boolean | undefined> {
  const url = `postgres://${postgresUser}@${host}:${port}/postgres?${parameters}`;
  const address = parsePostgresUrl(url, 'shop');
  const path = postgresUrl(address);
  const connection = await connect({ holds: 'state', path, address, password: undefined });
  try {
    const ask = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    const [row] = await connection.query<{ readonly ssl: boolean }>(ask);
    return row?.ssl;
  } finally {
    await connection.close();
  }
}

await withPostgres(
  'the encryption of connections to a database',
  () => {
    describe('a session of a server with a certificate', () => {
      it('is encrypted where its authority is named', async () => {
        expect(await isEncrypted(`sslmode=verify-full&sslrootcert=${authorityFile}`)).toBe(true);
      });

      it('is not made where no known authority issued it, and the message says how to name one', async () => {
        await expect(isEncrypted('sslmode=verify-full')).rejects.toMatchObject({
          kind: 'unreachable-state',
          message: expect.stringContaining('cannot be reached: unable to verify the first certificate'),
          hint: expect.stringContaining('add ?sslrootcert=FILE'),
        });
      });

      it('is not made where it was issued for another host', async () => {
        const parameters = `sslmode=verify-full&sslrootcert=${authorityFile}`;
        await expect(isEncrypted(parameters, 'localhost')).rejects.toMatchObject({
          kind: 'unreachable-state',
          message: expect.stringContaining("does not match certificate's altnames"),
          hint: expect.not.stringContaining('sslrootcert'),
        });
      });

      it('is encrypted with require, whatever the certificate, and not with disable', async () => {
        expect(await isEncrypted('sslmode=require', 'localhost')).toBe(true);
        expect(await isEncrypted('sslmode=disable')).toBe(false);
      });
    });
  },
  settings,
);
