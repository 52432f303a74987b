import { Writable } from 'node:stream';
import { createStreams, type StreamEnvironment, type Streams } from '../../src/output/terminal/streams.ts';

export interface CapturedStreams extends Streams {
  outputText(): string;
  errorText(): string;
}

export interface CaptureOptions {
  readonly isOutputTerminal?: boolean;
  readonly isErrorTerminal?: boolean;
  readonly env?: StreamEnvironment;
}

/** Streams that keep what is written to them, as two terminals or two pipes, whichever is asked for. */
export function capturedStreams(options: CaptureOptions = {}): CapturedStreams {
  const stdout = new Capture(options.isOutputTerminal ?? false);
  const stderr = new Capture(options.isErrorTerminal ?? false);
  return Object.assign(createStreams(stdout, stderr, options.env ?? {}), {
    outputText: () => stdout.text,
    errorText: () => stderr.text,
  });
}

/** A stream that remembers; as a terminal it takes cursor movements the way Node.js writes them. */
class Capture extends Writable {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY: boolean) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk;
    done();
  }

  cursorTo(column: number): boolean {
    return this.write(`\u001b[${column + 1}G`);
  }

  moveCursor(_columns: number, lines: number): boolean {
    return this.write(`\u001b[${Math.abs(lines)}A`);
  }

  clearLine(): boolean {
    return this.write('\u001b[0K');
  }
}
