import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type PostgresServer, postgresUser, userOfServer } from './postgres-server.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);

export const hasPgbouncer = program !== undefined;

/** A pooler in front of a server until the test ends; returns the folder of its socket. */
export async function startPgbouncer(server: PostgresServer, settings: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-pgbouncer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const user = userOfServer();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const path = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${server.folder} user=${postgresUser}`,
    '[pgbouncer]',
    ...['listen_addr =', `unix_socket_dir = ${folder}`, 'auth_type = any', ...settings],
  ];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o644 });
  const child = spawn(program ?? '', [path], { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGQUIT');
    await ended;
  });
  for await (const text of child.stderr) if (/process up/.test(String(text))) break;
  child.stderr.resume();
  return folder;
}
