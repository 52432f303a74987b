import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The limits of open connections. The reverse proxy applies other limits of callers. */
export const defaultConnectionLimits = {
  /** All allowed callers and trusted proxies. */
  known: 4_096,
  /** All other addresses. They are served only `/healthz`. */
  strangers: 128,
  /** One such other address. */
  perStranger: 16,
};

export type ConnectionLimits = Readonly<typeof defaultConnectionLimits>;

/**
 * Makes room for each new connection: over a limit, destroys the group's oldest connection without a complete request.
 * Idle connections thus keep no one out, strangers never displace allowed callers, and one stranger displaces only
 * itself.
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
