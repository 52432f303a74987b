import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../push/open-push.ts';

/**
 * One address for several servers until the test ends; `folderOf` selects the server for each session, counted from 1.
 */
export async function startRouter(folderOf: (session: number) => string) {
  const folder = temporaryFolder();
  const name = '.s.PGSQL.5432';
  let sessions = 0;
  const server = createServer((client) => {
    sessions += 1;
    const upstream = connect(join(folderOf(sessions), name));
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(join(folder, name), resolve));
  onTestFinished(() => void server.close());
  return { folder, sessions: () => sessions };
}
