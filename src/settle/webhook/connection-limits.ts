import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** How many connections may be open at once: from one address, and from all of its kind. */
export interface ConnectionLimits {
  /** Of callers that are allowed, and of trusted proxies, behind each of which there may be many callers. */
  readonly perKnownPeer: number;
  readonly known: number;
  /** Of everybody else, who is served nothing but `/healthz`. */
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
 * Always has room for one connection more: where there are too many from one address, or of one kind, the oldest of them that has no whole request
 * waiting for its answer is destroyed. So connections that are held open keep nobody out, and strangers none of those that may call.
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
