import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The limits of open connections. The reverse proxy applies other limits of callers. */
export const defaultConnectionLimits = {
  /** All allowed callers and trusted proxies. */
  known: 4_096,
  /** All other addresses. They are served only `/healthz`. */
  strangers: 128,
};

export type ConnectionLimits = Readonly<typeof defaultConnectionLimits>;

/**
 * Makes room for each new connection: over a limit, destroys the group's oldest connection without a complete request.
 * Idle connections thus keep no one out, and strangers never displace allowed callers.
 */
export function limitConnections(
  server: Server,
  isKnown: (address: string | undefined) => boolean,
  limits: ConnectionLimits,
): void {
  const groups = { known: new Set<Socket>(), strangers: new Set<Socket>() };
  const requests = new WeakMap<Socket, IncomingMessage>();
  server.on('connection', (socket: Socket) => {
    const kind = isKnown(socket.remoteAddress) ? 'known' : 'strangers';
    const group = groups[kind].add(socket);
    socket.once('close', () => group.delete(socket));
    if (group.size <= limits[kind]) return;
    const oldest = [...group].find((held) => requests.get(held)?.complete !== true) ?? socket;
    group.delete(oldest);
    oldest.destroy();
  });
  server.on('request', (incoming, outgoing) => {
    const { socket } = incoming;
    requests.set(socket, incoming);
    outgoing.once('close', () => {
      if (requests.get(socket) === incoming) requests.delete(socket);
    });
  });
}
