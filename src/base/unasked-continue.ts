import type { Socket } from 'node:net';

/** Connects to a server, as undici has it. */
type Connector<Options> = (options: Options, callback: Connected) => void;
type Connected = (...result: [null, Socket] | [Error, null]) => void;

/** The part of undici's parser that sees the head of each reply. */
interface ReplyParser {
  onHeadersComplete(status: number, ...details: readonly boolean[]): number;
}

const continueStatus = 100;
const earlyHints = 103;

/**
 * Connects as `connect` does, and lets a server send `100 Continue` before its reply, as HTTP allows it (RFC 9110,
 * 15.2). undici passes over any other interim reply, but takes this one for a broken connection, after which nobody
 * knows whether a write arrived. `parserKey` is where undici keeps the parser of a socket.
 */
export function acceptingContinue<Options>(
  connect: Connector<Options>,
  parserKey: symbol,
): Connector<Options> {
  return (options, callback) => {
    connect(options, (...result) => {
      // Makes the parser.
      callback(...result);
      const [, socket] = result;
      const parser = socket ? parserOf(socket, parserKey) : undefined;
      if (parser === undefined) return;
      const onHeadersComplete = parser.onHeadersComplete.bind(parser);
      parser.onHeadersComplete = (status, ...details) =>
        onHeadersComplete(status === continueStatus ? earlyHints : status, ...details);
    });
  };
}

function parserOf(socket: object, parserKey: symbol): ReplyParser | undefined {
  return (Reflect.get(socket, parserKey) ?? undefined) as ReplyParser | undefined;
}
