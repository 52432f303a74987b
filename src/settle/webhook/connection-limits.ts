import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The limits of open connections. Other limits of callers are those of the reverse proxy. */
export const defaultConnectionLimits = {
  /** Of allowed callers and trusted proxies. */
  known: 4_096,
  /** Of all others, which are served only `/healthz`. */
  strangers: 128,
  /** Of one address among these others. */
  perStranger: 16,
};

export type ConnectionLimits = Readonly<typeof defaultConnectionLimits>;

/**
 * Makes room for each new connection: over a limit, the oldest of its connections without a complete request is
 * destroyed. Connections that are held open thus keep no one out, strangers never displace allowed callers, and one
 * stranger displaces itself.
 */
export function limitConnections(
  server: Server,
  isKnown: (address: string | undefined) => boolean,
  limits: ConnectionLimits,
): void {
  const groups = { known: new Set<Socket>(), strangers: new Set<Socket>() };
  const requests = new WeakMap<Socket, IncomingMessage>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    const kind = isKnown(remoteAddress) ? 'known' : 'strangers';
    const group = groups[kind].add(socket);
    socket.once('close', () => group.delete(socket));
    const own = kind === 'known' ? [] : [...group].filter((held) => held.remoteAddress === remoteAddress);
    const isAlone = own.length > limits.perStranger;
    if (!isAlone && group.size <= limits[kind]) return;
    const crowd = isAlone ? own : [...group];
    const oldest = crowd.find((held) => requests.get(held)?.complete !== true) ?? socket;
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
