import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The limits of open connections: from one address, and from all of its kind. */
export interface ConnectionLimits {
  /** For allowed callers and for trusted proxies, each of which may carry many callers. */
  readonly perKnownPeer: number;
  readonly known: number;
  /** For all others, which are served only `/healthz`. */
  readonly perStranger: number;
  readonly strangers: number;
}

export const defaultConnectionLimits: ConnectionLimits = {
  perKnownPeer: 2_048,
  known: 4_096,
  perStranger: 16,
  strangers: 128,
};

/**
 * Makes room for each new connection: over a limit, of one address or of one kind, the oldest connection
 * without a complete request is destroyed. Connections that are held open thus keep no one out, and strangers
 * never displace allowed callers.
 */
export function limitConnections(
  server: Server,
  isKnown: (address: string | undefined) => boolean,
  limits: ConnectionLimits,
): void {
  const groups = new Map<string, Set<Socket>>();
  const requests = new WeakMap<Socket, IncomingMessage>();
  const leave = (name: string, socket: Socket) => {
    const group = groups.get(name);
    group?.delete(socket);
    if (group?.size === 0) groups.delete(name);
  };
  const join = (name: string, socket: Socket, limit: number) => {
    const group = groups.get(name) ?? new Set();
    groups.set(name, group.add(socket));
    socket.once('close', () => leave(name, socket));
    if (group.size <= limit) return;
    const oldest = [...group].find((held) => requests.get(held)?.complete !== true) ?? socket;
    leave(name, oldest);
    oldest.destroy();
  };
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    const isOfKnown = isKnown(remoteAddress);
    join(`from ${remoteAddress ?? ''}`, socket, isOfKnown ? limits.perKnownPeer : limits.perStranger);
    if (socket.destroyed) return;
    if (isOfKnown) join('known', socket, limits.known);
    else join('strangers', socket, limits.strangers);
  });
  server.on('request', (incoming, outgoing) => {
    const { socket } = incoming;
    requests.set(socket, incoming);
    outgoing.once('close', () => {
      if (requests.get(socket) === incoming) requests.delete(socket);
    });
  });
}
