import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** Paths of what the process was given open, such as `/dev/fd/63` for `<(…)`: a program writes to it already. */
const givenPath = /^\/dev\/stdin$|^\/(?:dev|proc\/self)\/fd\/(\d+)$/;

/** Whether a path names a descriptor that the process was given. */
export function isGivenOpen(path: string): boolean {
  return givenDescriptor(path) !== undefined;
}

/** The descriptor that a path names; undefined for another path. */
export function givenDescriptor(path: string): number | undefined {
  const [stdin, descriptor] = givenPath.exec(path) ?? [];
  return stdin === undefined ? undefined : Number(descriptor ?? 0);
}

/**
 * The text of a file, UTF-8. A named pipe would block the process until a program writes to it, and a device may never
 * end; a pipe that was given open, as `/dev/fd/63`, is read.
 * @throws Error for what is no file, and as `readFileSync`.
 */
export function readRegularFile(path: string): string {
  if (isGivenOpen(path)) return readFileSync(path, 'utf8');
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const what = nonFileInWords(fstatSync(file));
    if (what !== undefined) throw new Error(`it is ${what}, not a file`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** What a path leads to, if it is no file: `a named pipe`. */
export function nonFileInWords(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}
