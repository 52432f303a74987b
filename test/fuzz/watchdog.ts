import { Worker } from 'node:worker_threads';

/** The limit of processor time for one input, in milliseconds. */
export const inputMs = 2_000;
/** The longest watched input, in bytes. */
const watchedLength = 65_536;

/** Ends the process and stores the input if the reading thread never returns. */
const watching = `
  const { writeFileSync } = require('node:fs');
  const { workerData: { state, bytes, path, inputMs } } = require('node:worker_threads');
  const usedMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  let [turn, sinceMs] = [-1, usedMs()];
  setInterval(() => {
    const [now, isReading, length] = state;
    if (now !== turn || isReading === 0) { turn = now; sinceMs = usedMs(); return; }
    if (usedMs() - sinceMs < 2 * inputMs) return;
    const input = Buffer.from(bytes.slice(0, length)).toString('latin1');
    writeFileSync(path, JSON.stringify(input) + '\\n');
    console.error('the input of ' + path + ' takes for ever');
    process.kill(process.pid, 'SIGKILL');
  }, 200);
`;

/** Passes the current input to a watching thread. */
export class Watchdog {
  readonly #state = new Int32Array(new SharedArrayBuffer(12));
  readonly #bytes = new Uint8Array(new SharedArrayBuffer(watchedLength));
  readonly #worker: Worker;

  /** An input that is read without end is stored at `path`. */
  constructor(path: string) {
    const workerData = { state: this.#state, bytes: this.#bytes, path, inputMs };
    this.#worker = new Worker(watching, { eval: true, execArgv: [], workerData });
    this.#worker.unref();
  }

  begin(input: Buffer): void {
    this.#bytes.set(input.subarray(0, watchedLength));
    this.#state[2] = Math.min(input.length, watchedLength);
    this.#state[1] = 1;
    this.#state[0] = (this.#state[0] ?? 0) + 1;
  }

  end(): void {
    this.#state[1] = 0;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
