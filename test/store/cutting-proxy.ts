import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../push/open-push.ts';

/** Where a session is cut: the message does not reach the server, or its answer does not return. */
export type Cut = { readonly at: number; readonly how: 'before' | 'after' };

/** A socket in front of a server that cuts all sessions at one client message, counted over all sessions. */
export async function startCuttingProxy(serverFolder: string, cut: Cut) {
  const folder = temporaryFolder();
  const name = '.s.PGSQL.5432';
  let messages = 0;
  let isCut = false;
  const sockets = new Set<Socket>();
  const end = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(join(serverFolder, name));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    upstream.on('data', (data) => client.write(data));
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.end());
    client.on('data', (data) => {
      messages += 1;
      if (messages !== cut.at) upstream.write(data);
      else if (cut.how === 'before') end();
      else {
        // The server executes the message, but nobody receives the answer.
        upstream.removeAllListeners('data');
        upstream.once('data', end);
        upstream.write(data);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(join(folder, name), resolve));
  onTestFinished(() => {
    end();
    server.close();
  });
  return { folder, isCut: () => isCut };
}
