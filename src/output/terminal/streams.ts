import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import { koreanZone } from '../../base/korean-time.ts';

/*
 * The output room turns values and events into text. It guarantees that stdout carries data only, that a command ends
 * quietly if its reader closes stdout, and that foreign text never controls a terminal (see `terminal-text.ts`).
 */

/** stdout, stderr or a substitute; Node.js sets `isTTY` and `columns` on a terminal. */
export type TextStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The environment variables that affect the look of text. */
export type StreamEnvironment = Readonly<
  Partial<Record<'NO_COLOR' | 'FORCE_COLOR' | 'TERM' | 'CI' | 'COLUMNS', string>>
>;

/** The output streams of a command, and the properties of their readers. */
export interface Streams {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly isOutputTerminal: boolean;
  readonly isErrorTerminal: boolean;
  /** Width of stdout in cells. */
  readonly columns: number;
  /** Width of stderr in cells. */
  readonly errorColumns: number;
  readonly hasColor: boolean;
  readonly hasErrorColor: boolean;
  /** The time zone of times in the output: Korean until the settings are read. */
  timeZone: string;
  /** The format of stderr: text until the settings are read. */
  errorFormat: 'text' | 'json';
  /** True if a line can be redrawn on stderr: a terminal, not in CI, not TERM=dumb. */
  readonly canRedraw: boolean;
  readonly liveLine: LiveLine;
}

/** A drawing that can be removed from the terminal and restored. */
interface Drawing {
  clear(): void;
  render(): void;
}

/** The one line that is redrawn in place. All other output is written around it, so lines never mix with it. */
class LiveLine {
  #drawing: Drawing | undefined;

  /** Replaces the current drawing. */
  show(drawing: Drawing): void {
    this.#drawing?.clear();
    this.#drawing = drawing;
    drawing.render();
  }

  /** Removes the drawing, unless another one has replaced it. */
  hide(drawing: Drawing): void {
    if (this.#drawing !== drawing) return;
    drawing.clear();
    this.#drawing = undefined;
  }

  /** Removes the line, runs `write`, and draws the line again below the output. */
  around(write: () => void): void {
    this.#drawing?.clear();
    write();
    this.#drawing?.render();
  }
}

const terminalColumns = 80;
/** A table in a pipe was requested by name, for a mail or a log: wide enough to be useful, and no wider. */
const pipeColumns = 120;

/**
 * Derives the look of text from the streams and the environment. `FORCE_COLOR` overrides `NO_COLOR`, as in Node.js;
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

export function systemStreams(process: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>): Streams {
  const { stdout } = process;
  const isFile = fstatSync(stdout.fd).isFile();
  return createStreams(isFile ? fileStream(stdout.fd) : stdout, process.stderr, process.env);
}

/** Writes to a file to the last byte: the stream of Node.js drops the rest after a partial write. */
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
 * Writes text, or its UTF-8, to stdout and resolves once it is accepted, which is the backpressure. Resolves to false
 * if the reader has closed stdout.
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

/** Writes one or more whole lines to stderr. A closed stderr is ignored. */
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

/** Width of a terminal in cells, which may change at any time; 80 if it is unknown or reported as 0. */
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
