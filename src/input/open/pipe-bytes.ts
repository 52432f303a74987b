import { constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { systemCodeOf } from '../../base/failure.ts';
import { pieceBytes } from './bytes.ts';
import { unreadable } from './input-file.ts';

/** How long a pipe may have no writer; a program that is started beside this one needs less. */
const patienceMs = 5000;
const lookEveryMs = 50;

/**
 * The bytes of a named pipe, from its first writer on. It is opened without blocking: a thread that waits for a writer
 * would keep the process from exiting.
 * @throws Failure('unreadable-path') where no program writes to it.
 */
export async function* pipeBytes(path: string): AsyncGenerator<Uint8Array> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const socket = () => new Socket({ fd, readable: true, writable: false });
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const first = firstBytes(fd);
    if (first !== undefined) {
      if (first.length > 0) yield first;
      yield* socket();
      return;
    }
    if (waitedMs >= patienceMs) {
      socket().destroy();
      throw unreadable(
        path,
        'no program writes to this named pipe',
        'start the program that writes to it first, or name a file',
      );
    }
    await pause(lookEveryMs);
  }
}

/** What is in the pipe already; empty where a writer is yet to write, undefined where there is no writer. */
function firstBytes(fd: number): Uint8Array | undefined {
  const bytes = Buffer.alloc(pieceBytes);
  try {
    const length = readSync(fd, bytes);
    return length === 0 ? undefined : bytes.subarray(0, length);
  } catch (error) {
    if (systemCodeOf(error) === 'EAGAIN') return Buffer.alloc(0);
    throw error;
  }
}
