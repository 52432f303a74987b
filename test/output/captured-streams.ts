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

/** Streams that keep their output; each acts as a terminal or as a pipe. */
export function capturedStreams(options: CaptureOptions = {}): CapturedStreams {
  const stdout = new Capture(options.isOutputTerminal ?? false);
  const stderr = new Capture(options.isErrorTerminal ?? false);
  return Object.assign(createStreams(stdout, stderr, options.env ?? {}), {
    outputText: () => stdout.text,
    errorText: () => stderr.text,
  });
}

/** A stream that keeps its text; on a terminal it encodes cursor movements as Node.js does. */
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
