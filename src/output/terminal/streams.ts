import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import { koreanZone } from '../../base/korean-time.ts';

/*
 * The output room turns values and events into text. It promises that stdout carries data only, that a command ends
 * quietly when its reader closes stdout, and that foreign text never controls a terminal (see `terminal-text.ts`).
 */

/** stdout, stderr or a substitute; `isTTY` and `columns` as Node.js sets them on a terminal. */
export type TextStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The environment variables that decide how text looks. */
export type StreamEnvironment = Readonly<
  Partial<Record<'NO_COLOR' | 'FORCE_COLOR' | 'TERM' | 'CI' | 'COLUMNS', string>>
>;

/** Where a command writes, and what is known about who reads it. */
export interface Streams {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly isOutputTerminal: boolean;
  readonly isErrorTerminal: boolean;
  /** Cells in one line of stdout. */
  readonly columns: number;
  /** Cells in one line of stderr. */
  readonly errorColumns: number;
  readonly hasColor: boolean;
  readonly hasErrorColor: boolean;
  /** The zone that times are shown in: Korean until the settings are read. */
  timeZone: string;
  /** How stderr is written: as text until the settings are read. */
  errorFormat: 'text' | 'json';
  /** Whether stderr is a terminal on which a line may be drawn over: not in CI, not TERM=dumb. */
  readonly canRedraw: boolean;
  readonly liveLine: LiveLine;
}

/** A drawing that can be taken off the terminal and put back. */
interface Drawing {
  clear(): void;
  render(): void;
}

/** The one line that is drawn over and over. Whatever else is written goes around it, so lines never mix with it. */
class LiveLine {
  #drawing: Drawing | undefined;

  /** Draws it in place of the one that was there. */
  show(drawing: Drawing): void {
    this.#drawing?.clear();
    this.#drawing = drawing;
    drawing.render();
  }

  /** Takes it off, unless another has taken its place. */
  hide(drawing: Drawing): void {
    if (this.#drawing !== drawing) return;
    drawing.clear();
    this.#drawing = undefined;
  }

  /** Runs `write` with the line taken off, and draws it again below what was written. */
  around(write: () => void): void {
    this.#drawing?.clear();
    write();
    this.#drawing?.render();
  }
}

const terminalColumns = 80;
/** A table in a pipe was asked for by name, for a mail or a log: wide enough to be worth reading, and no wider. */
const pipeColumns = 120;

/**
 * Decides how text may look, from the streams and the environment. `FORCE_COLOR` overrides `NO_COLOR`, as in Node.js;
 * `COLUMNS` overrides the width of the terminal.
 */
export function createStreams(stdout: TextStream, stderr: TextStream, env: StreamEnvironment): Streams {
  // The callback of a write reports its error; the unobserved event would end the process.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  const isOutputTerminal = stdout.isTTY === true;
  const isErrorTerminal = stderr.isTTY === true;
  return {
    stdout,
    stderr,
    isOutputTerminal,
    isErrorTerminal,
    columns: columnsOf(stdout, env),
    errorColumns: columnsOf(stderr, env),
    hasColor: hasColor(isOutputTerminal, env),
    hasErrorColor: hasColor(isErrorTerminal, env),
    timeZone: koreanZone,
    errorFormat: 'text',
    canRedraw: isErrorTerminal && !isPlain(env),
    liveLine: new LiveLine(),
  };
}

/** The streams of this process. */
export function systemStreams(process: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>): Streams {
  const { stdout } = process;
  const isFile = fstatSync(stdout.fd).isFile();
  return createStreams(isFile ? fileStream(stdout.fd) : stdout, process.stderr, process.env);
}

/** Writes to a file to the last byte: that of Node.js passes over the rest where a disk takes a part. */
function fileStream(file: number): Writable {
  return new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      try {
        for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

/**
 * Writes text, or its UTF-8, to stdout and resolves once it was accepted, which is the backpressure. False when the
 * reader has closed stdout.
 * @throws Failure for any other error of the stream (a full disk).
 */
export function writeOutput(streams: Streams, text: string | Uint8Array): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const taken = (error?: Error | null) => {
      if (!error) resolve(true);
      else if (isReaderGone(error)) resolve(false);
      else
        reject(
          new Failure(
            'unwritable-output',
            `could not write to stdout: ${messageOf(error)}`,
            'make sure it is writable (is the disk full?), then run the same command again',
            { cause: error },
          ),
        );
    };
    streams.liveLine.around(() => streams.stdout.write(text, taken));
  });
}

/** Writes one or more whole lines to stderr. A closed stderr stops nothing. */
export function writeError(streams: Streams, text: string): void {
  streams.liveLine.around(() => streams.stderr.write(text));
}

function isReaderGone(error: Error): boolean {
  return ['EPIPE', 'ECONNRESET', 'EOF', 'ERR_STREAM_DESTROYED'].includes(systemCodeOf(error) ?? '');
}

function columnsOf(stream: TextStream, { COLUMNS }: StreamEnvironment): number {
  const wanted = Number(COLUMNS);
  if (Number.isSafeInteger(wanted) && wanted > 0) return wanted;
  return stream.isTTY ? terminalWidth(stream) : pipeColumns;
}

/** Cells in one line of a terminal, which may change at any time; 80 if it does not know them, or says 0. */
export function terminalWidth({ columns }: TextStream): number {
  return columns || terminalColumns;
}

function hasColor(isTerminal: boolean, env: StreamEnvironment): boolean {
  if (env.FORCE_COLOR !== undefined) return isSet(env.FORCE_COLOR) || env.FORCE_COLOR === '';
  return isTerminal && !env.NO_COLOR && !isPlain(env);
}

function isPlain(env: StreamEnvironment): boolean {
  return env.TERM === 'dumb' || isSet(env.CI);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value);
}
