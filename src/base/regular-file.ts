import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { Failure, messageOf, systemCodeOf } from './failure.ts';

/** Paths of inherited descriptors, such as `/dev/fd/63` for `<(…)`, to which a program is already writing. */
const givenPath = /^\/dev\/stdin$|^\/(?:dev|proc\/self)\/fd\/(\d+)$/;

/** True if a path names an inherited descriptor. */
export function isGivenOpen(path: string): boolean {
  return givenDescriptor(path) !== undefined;
}

/** The inherited descriptor that a path names; undefined for another path. */
export function givenDescriptor(path: string): number | undefined {
  const [stdin, descriptor] = givenPath.exec(path) ?? [];
  return stdin === undefined ? undefined : Number(descriptor ?? 0);
}

/**
 * True if a path exists.
 * @throws Failure('unreadable-path') if this user may not look, which does not mean that the file is missing.
 */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOTDIR') return false;
    throw new Failure(
      'unreadable-path',
      `${path} cannot be accessed: ${messageOf(error)}`,
      'run as the user who owns it, or name folders of your own in REVIEWCTL_CONFIG_DIR and REVIEWCTL_STATE_DIR',
      { cause: error },
    );
  }
}

/**
 * Reads a file as UTF-8. A named pipe would block the process until a program writes to it, and a device may never end.
 * @throws Error if it is not a file, and as `readFileSync`.
 */
export function readRegularFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const what = nonFileInWords(fstatSync(file));
    if (what !== undefined) throw new Error(`it is ${what}, not a file`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/**
 * Reads a file as `readRegularFile`, or an inherited descriptor such as `/dev/fd/63`. Its writer may be slow; meanwhile
 * signals are handled.
 * @throws as `readRegularFile`; the reason of `stopping`.
 */
export async function readFileOrGiven(path: string, stopping: AbortSignal | undefined): Promise<string> {
  const descriptor = givenDescriptor(path);
  if (descriptor === undefined) return readRegularFile(path);
  const text = textsGiven.get(descriptor) ?? readGiven(path, descriptor, stopping);
  textsGiven.set(descriptor, text);
  return text;
}

async function readGiven(path: string, fd: number, stopping: AbortSignal | undefined): Promise<string> {
  const stream = await openPipe(fd);
  return stream === undefined ? readFileSync(path, 'utf8') : readStream(stream, stopping);
}

/** The text of each inherited pipe, which can be read only once. */
const textsGiven = new Map<number, Promise<string>>();

/** Opens an inherited pipe, socket or terminal; undefined for anything else. */
async function openPipe(fd: number): Promise<Readable | undefined> {
  const stats = fstatSync(fd);
  const [{ Socket }, { isatty, ReadStream }] = await Promise.all([import('node:net'), import('node:tty')]);
  if (stats.isFIFO() || stats.isSocket()) return new Socket({ fd, readable: true, writable: false });
  return isatty(fd) ? new ReadStream(fd) : undefined;
}

/**
 * Reads a stream as UTF-8, or its beginning if it is longer than `lengthMaximum`.
 * @throws the reason of `stopping`, once it is aborted.
 */
export async function readStream(
  stream: NodeJS.ReadableStream,
  stopping: AbortSignal | undefined,
  lengthMaximum = Number.POSITIVE_INFINITY,
): Promise<string> {
  stopping?.throwIfAborted();
  if (stopping !== undefined) addAbortSignal(stopping, stream as Readable);
  let text = '';
  try {
    for await (const chunk of stream.setEncoding('utf8')) {
      text += String(chunk);
      if (text.length > lengthMaximum) break;
    }
  } catch (error) {
    stopping?.throwIfAborted();
    throw error;
  }
  return text;
}

/** Describes a path that is not a file: `a named pipe`. */
export function nonFileInWords(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}
