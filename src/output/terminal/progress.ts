import type { Ora } from 'ora';
import type { Clock } from '../../base/clock.ts';
import { clipText } from './display-width.ts';
import { type Streams, type TextStream, terminalWidth, writeError } from './streams.ts';
import { terminalJson, terminalText } from './terminal-text.ts';
import { countsInWords, grouped, secondsInWords } from './totals.ts';

export const progressModes = ['auto', 'plain', 'json', 'none'] as const;
export type ProgressMode = (typeof progressModes)[number];

/** The progress of the work. */
export interface ProgressState {
  /** The work in words: `sending order items`. */
  readonly label: string;
  readonly done: number;
  readonly total?: number | undefined;
  /** Outcomes so far, such as `{ queued: 900, failed: 2 }`. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** Shows progress on stderr. `done` removes the live line; call it even if the work fails. */
export interface Progress {
  update(state: ProgressState): void;
  done(): void;
}

/** Shorter work shows no rate. */
const paceAfterMs = 2_000;
/** Time between two lines if no live line can be drawn. */
const plainEveryMs = 10_000;
const redrawEveryMs = 100;
/** Cells of the live line used by the spinner and the cursor. */
const spinnerWidth = 3;

/**
 * `auto` draws a live line on a terminal; elsewhere it writes a line every 10 seconds, in the format of stderr.
 * Progress never keeps the process alive.
 */
export function createProgress(streams: Streams, mode: ProgressMode, clock: Clock): Progress {
  if (mode === 'none') return { update: () => undefined, done: () => undefined };
  const isLive = mode === 'auto' && streams.canRedraw;
  const isJson = mode === 'json' || (mode === 'auto' && streams.errorFormat === 'json' && !isLive);
  if (isJson) return periodicProgress(streams, clock, progressJson);
  return isLive ? new LiveProgress(streams, clock) : periodicProgress(streams, clock, progressText);
}

/** Writes a line at most every ten seconds, the first after ten, so that short work writes none. */
function periodicProgress(
  streams: Streams,
  clock: Clock,
  line: (state: ProgressState, elapsedMs: number) => string,
): Progress {
  const startedMs = clock.monotonicMs();
  let lastMs = startedMs;
  return {
    update: (state) => {
      const now = clock.monotonicMs();
      if (now - lastMs < plainEveryMs) return;
      lastMs = now;
      writeError(streams, `${line(state, now - startedMs)}\n`);
    },
    done: () => undefined,
  };
}

/** One line that is redrawn in place. */
class LiveProgress implements Progress {
  readonly #streams: Streams;
  readonly #clock: Clock;
  readonly #startedMs: number;
  #text = '';
  #spinner: Ora | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;
  #isDone = false;

  constructor(streams: Streams, clock: Clock) {
    this.#streams = streams;
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  update(state: ProgressState): void {
    const text = progressText(state, this.#clock.monotonicMs() - this.#startedMs);
    this.#text = clipText(text, Math.max(1, this.#streams.errorColumns - spinnerWidth)).text;
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
      stream: withWidth(stderr),
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

/**
 * `stream` with `columns` that are never 0. ora divides by them: on a terminal that does not report its width, a line
 * would have infinite height, and clearing it would never end.
 */
function withWidth(stream: TextStream): TextStream {
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'columns') return terminalWidth(target);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The average rate so far, and the time left at that rate. */
function paceOf({ done, total }: ProgressState, elapsedMs: number) {
  if (elapsedMs < paceAfterMs || done === 0) return undefined;
  const perSecond = (done * 1000) / elapsedMs;
  const secondsLeft = total === undefined ? undefined : Math.ceil(Math.max(0, total - done) / perSecond);
  return { perSecond: Math.round(perSecond), secondsLeft };
}

/** `sending order items: 12,000 of 20,000 (60 %), 11,990 queued, 10 failed, 1,200/s, 7 s left`. */
function progressText(state: ProgressState, elapsedMs: number): string {
  const { label, done, total, counts = {} } = state;
  const share = total ? ` of ${grouped(total)} (${Math.floor((100 * done) / total)} %)` : '';
  const pace = paceOf(state, elapsedMs);
  const words = [
    `${label}: ${grouped(done)}${share}`,
    countsInWords(counts),
    pace === undefined || pace.perSecond === 0 ? '' : `${grouped(pace.perSecond)}/s`,
    pace?.secondsLeft === undefined ? '' : `${secondsInWords(pace.secondsLeft)} left`,
  ];
  return terminalText(words.filter((part) => part !== '').join(', '));
}

function progressJson(state: ProgressState, elapsedMs: number): string {
  return terminalJson(JSON.stringify({ progress: { ...state, ...paceOf(state, elapsedMs) } }));
}
