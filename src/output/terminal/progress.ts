import type { Ora } from 'ora';
import type { Clock } from '../../base/clock.ts';
import { clipText } from './display-width.ts';
import { type Streams, writeError } from './streams.ts';
import { terminalJson, terminalText } from './terminal-text.ts';
import { countsInWords, grouped } from './totals.ts';

export const progressModes = ['auto', 'bar', 'plain', 'json', 'none'] as const;
export type ProgressMode = (typeof progressModes)[number];

/** How far the work is. */
export interface ProgressState {
  /** What is being done: `sending order items`. */
  readonly label: string;
  readonly done: number;
  readonly total?: number | undefined;
  /** What became of those done, such as `{ queued: 900, failed: 2 }`. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** Shows progress on stderr. `done` removes the live line; call it however the work ends. */
export interface Progress {
  update(state: ProgressState): void;
  done(): void;
}

/** Time between two lines where no line can be drawn over. */
const plainEveryMs = 10_000;
const redrawEveryMs = 100;
/** Cells of the live line that the spinner and the cursor take. */
const spinnerWidth = 3;

/**
 * `auto` is a live line on a terminal and a plain line every 10 seconds elsewhere. `bar` on what cannot be redrawn is
 * `plain`. Nothing it does keeps the process alive.
 */
export function createProgress(streams: Streams, mode: ProgressMode, clock: Clock): Progress {
  if (mode === 'none') return { update: () => undefined, done: () => undefined };
  if (mode === 'json') return new PeriodicProgress(streams, clock, progressJson);
  const isLive = mode !== 'plain' && streams.canRedraw;
  return isLive ? new LiveProgress(streams) : new PeriodicProgress(streams, clock, progressText);
}

/** A line at most every ten seconds, the first after ten: short work says nothing. */
class PeriodicProgress implements Progress {
  readonly #streams: Streams;
  readonly #clock: Clock;
  readonly #line: (state: ProgressState) => string;
  #lastMs: number;

  constructor(streams: Streams, clock: Clock, line: (state: ProgressState) => string) {
    this.#streams = streams;
    this.#clock = clock;
    this.#line = line;
    this.#lastMs = clock.now();
  }

  update(state: ProgressState): void {
    const now = this.#clock.now();
    if (now - this.#lastMs < plainEveryMs) return;
    this.#lastMs = now;
    writeError(this.#streams, `${this.#line(state)}\n`);
  }

  done(): void {}
}

/** One line drawn over and over. */
class LiveProgress implements Progress {
  readonly #streams: Streams;
  #text = '';
  #spinner: Ora | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;
  #isDone = false;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  update(state: ProgressState): void {
    this.#text = clipText(progressText(state), this.#streams.errorColumns - spinnerWidth).text;
    if (this.#spinner) this.#spinner.text = this.#text;
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#start();
  }

  done(): void {
    this.#isDone = true;
    clearInterval(this.#timer);
    if (this.#spinner) this.#streams.liveLine.hide(this.#spinner);
  }

  async #start(): Promise<void> {
    const { default: ora } = await import('ora');
    if (this.#isDone) return;
    const { stderr, hasErrorColor, liveLine } = this.#streams;
    const spinner = ora({
      text: this.#text,
      stream: stderr,
      color: hasErrorColor ? 'cyan' : false,
      isEnabled: true,
    });
    this.#spinner = spinner;
    liveLine.show(spinner);
    // Not `spinner.start()`: its timer would keep the process alive, a killed run would leave the cursor hidden, and
    // stdin belongs to the command.
    this.#timer = setInterval(() => spinner.render(), redrawEveryMs);
    this.#timer.unref();
  }
}

/** `sending order items: 12,000 of 20,000 (60 %), 11,990 queued, 10 failed`. */
function progressText({ label, done, total, counts = {} }: ProgressState): string {
  const share = total ? ` of ${grouped(total)} (${Math.floor((100 * done) / total)} %)` : '';
  const words = countsInWords(counts);
  return terminalText(`${label}: ${grouped(done)}${share}${words && `, ${words}`}`);
}

function progressJson(state: ProgressState): string {
  return terminalJson(JSON.stringify({ progress: state }));
}
