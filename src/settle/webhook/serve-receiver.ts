import { closeWithin, type ListenAddress, listenOn } from '../../base/http-server.ts';
import { createReceiver, type ReceiverOptions } from './receiver.ts';

interface ServedReceiver {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Accepts no further call, responds to those under way within a time limit, and finishes their payments. */
  close(): Promise<void>;
}

/**
 * How long calls under way may take once the receiver is stopping, in milliseconds: as long as the service
 * waits.
 */
const closeMs = 10_000;

/** @throws Failure('usage') where the port cannot be used. */
export async function serveReceiver(
  options: ReceiverOptions,
  address: ListenAddress,
): Promise<ServedReceiver> {
  const server = createReceiver(options);
  return {
    origin: await listenOn(server, address),
    close: async () => {
      await closeWithin(server, closeMs);
      await options.answers.idle();
    },
  };
}
