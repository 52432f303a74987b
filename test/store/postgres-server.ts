import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';

/** A real server for tests, on a socket in its own folder. */
export interface PostgresServer {
  readonly folder: string;
  readonly data: string;
  readonly pid: number;
  /** `postgres:///postgres?…`, with further query parameters. */
  url(parameters?: string, database?: string): string;
  /** Returns the first value of each row. */
  ask(sql: string, database?: string): Promise<readonly unknown[]>;
  /** `immediate` is a crash. The other mode disconnects clients and shuts down cleanly. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
}

export const postgresUser = 'reviewctl';

const folders = () => [
  ...(process.env['PATH'] ?? '').split(delimiter),
  ...versionFolders('/usr/lib/postgresql').toReversed(),
];

function versionFolders(root: string): string[] {
  return existsSync(root)
    ? readdirSync(root)
        .toSorted((one, other) => Number(one) - Number(other))
        .map((version) => join(root, version, 'bin'))
    : [];
}

/** The folder of the server's programs; undefined if none is installed. */
export function findPostgres(): string | undefined {
  return folders().find((folder) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
}

/** Printed once by a test file without a server. */
export function sayThatPostgresIsMissing(what: string): void {
  console.log(`PostgreSQL is not installed, so ${what} ran on SQLite alone.`);
}

/** The server refuses to run as root, so it then runs as an unprivileged user. */
export function userOfServer(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const idOf = (flag: string) =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: idOf('-u'), gid: idOf('-g') };
    } catch {
      // Every system has the next one.
    }
  }
  return {};
}

/**
 * Creates and starts a server; `settings` are lines of its configuration, such as `fsync=off`. All its files are in a
 * new folder below `root`.
 */
export async function makePostgres(
  bin: string,
  settings: readonly string[] = [],
  root = tmpdir(),
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(root, 'reviewctl-pg-'));
  const user = userOfServer();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  execFileSync(
    join(bin, 'initdb'),
    [
      '-D',
      data,
      '-U',
      postgresUser,
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ],
    { ...user, cwd: folder, stdio: 'ignore' },
  );
  let child: ChildProcess | undefined;
  const server: PostgresServer = {
    folder,
    data,
    get pid() {
      return child?.pid ?? 0;
    },
    url: (parameters = '', database = 'postgres') =>
      `postgres:///${database}?host=${folder}&user=${postgresUser}${parameters}`,
    ask: async (sql, database = 'postgres') => {
      const client = new Client({ host: folder, user: postgresUser, database });
      // A server that is stopped meanwhile fails the query. Without a listener, it would end this process.
      client.on('error', () => undefined);
      await client.connect();
      try {
        const { rows } = await client.query({ text: sql, rowMode: 'array' });
        return rows.map(([value]) => value);
      } finally {
        await client.end().catch(() => undefined);
      }
    },
    start: async () => {
      child = await startServer(join(bin, 'postgres'), { folder, data, user, settings });
    },
    stop: async (mode = 'fast') => {
      if (child === undefined || child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await ended;
      child = undefined;
    },
    remove: async () => {
      await server.stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

interface Starting {
  readonly folder: string;
  readonly data: string;
  readonly user: ReturnType<typeof userOfServer>;
  readonly settings: readonly string[];
}

async function startServer(
  program: string,
  { folder, data, user, settings }: Starting,
): Promise<ChildProcess> {
  const options = ['listen_addresses=', `unix_socket_directories=${folder}`, ...settings];
  const child = spawn(program, ['-D', data, ...options.flatMap((option) => ['-c', option])], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      said.push(line);
      if (/database system is ready to accept/.test(line)) resolve();
    });
    child.once('exit', () => reject(new Error(`the server ended: ${said.join('\n')}`)));
  });
  return child;
}
