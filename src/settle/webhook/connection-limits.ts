import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The limits of open connections. Limits of one address are those of the reverse proxy. */
export interface ConnectionLimits {
  /** Of allowed callers and trusted proxies. */
  readonly known: number;
  /** Of all others, which are served only `/healthz`. */
  readonly strangers: number;
}

export const defaultConnectionLimits: ConnectionLimits = { known: 4_096, strangers: 128 };

/**
 * Makes room for each new connection: over the limit of its kind, the oldest connection without a complete request is
 * destroyed. Connections that are held open thus keep no one out, and strangers never displace allowed callers.
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
