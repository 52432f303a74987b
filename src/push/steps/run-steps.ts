import type { PushOutcome } from './outcome.ts';

/**
 * How many times the steps under way may wait for the outcomes of a slow one before them: a request that is retried
 * for seconds must not stop the others.
 */
const windowWidths = 4;

/** How many steps may wait for the outcomes of one that is set aside. */
const asideWindow = 20_000;

/** Takes the outcomes of a step as they become certain. */
export type Report<O = PushOutcome> = (outcome: O) => void;

/** The place of a step among those under way. */
export interface StepPlace {
  /**
   * Called once the last request of the step is answered: the next step may begin while what came of this one is put on
   * record, so that the service never waits for this machine.
   */
  readonly answered: () => void;
  /** Called for a step that waits for long: many may go on before it, though their outcomes come after its own. */
  readonly setAside: () => void;
}

/** Carries out a step. */
export type Work<T, O = PushOutcome> = (step: T, report: Report<O>, place: StepPlace) => Promise<void>;

export interface StepOptions {
  /** How many steps may wait for an answer at once; asked before each step where it changes. */
  readonly concurrency: number | (() => number);
  /** Aborted to take no new step; what is under way is finished. */
  readonly stopping: AbortSignal;
}

/**
 * Carries out steps and yields their outcomes in input order, those that are there at the same time together. When a
 * step or the source of steps throws, no new one is taken, those under way are finished and their outcomes yielded, and
 * only then is the error thrown: nothing that happened goes unreported.
 */
export async function* runSteps<T, O = PushOutcome>(
  batches: AsyncIterable<readonly T[]>,
  options: StepOptions,
  work: Work<T, O>,
): AsyncGenerator<readonly O[]> {
  const line = new StepLine<T, O>(batches, options, work);
  try {
    while (!line.isOver) {
      line.advance();
      const outcomes = line.takeOutcomes();
      if (outcomes === undefined) await line.change();
      else if (outcomes.length > 0) yield outcomes;
    }
  } finally {
    await line.close();
  }
  line.check();
}

interface StepUnderWay<O> {
  readonly outcomes: O[];
  isAnswered: boolean;
  isAside: boolean;
  isDone: boolean;
}

/**
 * Steps under way, in input order. Those of one batch are begun without a wait between them, which would take longer
 * than a step.
 */
class StepLine<T, O> {
  readonly #batches: AsyncIterator<readonly T[]>;
  readonly #options: StepOptions;
  readonly #work: Work<T, O>;
  readonly #steps: StepUnderWay<O>[] = [];
  #batch: Iterator<T> = [].values();
  #underWay = 0;
  /** How many of them wait for an answer. */
  #unanswered = 0;
  #isReading = false;
  #isEnded = false;
  #stop: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(batches: AsyncIterable<readonly T[]>, options: StepOptions, work: Work<T, O>) {
    this.#batches = batches[Symbol.asyncIterator]();
    this.#options = options;
    this.#work = work;
  }

  get isOver(): boolean {
    return this.#isEnded && this.#steps.length === 0;
  }

  /** Begins as many steps as there is room for, and reads more where there are none left. */
  advance(): void {
    while (!this.#isEnded && this.#hasRoom()) {
      // Asked for each step: the stop may come while the source is read, or while the step before is carried out.
      this.#isEnded = this.#stop !== undefined || this.#options.stopping.aborted;
      if (this.#isEnded || this.#isReading) return;
      const { done, value } = this.#batch.next();
      if (done) void this.#read();
      else void this.#carryOut(value);
    }
  }

  /** The outcomes of the steps that are over, up to the first that is not; undefined where one has to be waited for. */
  takeOutcomes(): readonly O[] | undefined {
    const waiting = this.#steps.findIndex(({ isDone }) => !isDone);
    const over = this.#steps.splice(0, waiting === -1 ? this.#steps.length : waiting);
    if (over.length === 0 && !this.isOver) return undefined;
    const [only] = over;
    return over.length === 1 && only !== undefined ? only.outcomes : over.flatMap(({ outcomes }) => outcomes);
  }

  /** Resolves when a step is over, or more of them were read. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Waits for what is under way, so that nothing is left running unobserved. */
  async close(): Promise<void> {
    this.#isEnded = true;
    while (this.#underWay > 0) await this.change();
    await this.#batches.return?.();
  }

  /** @throws what a step or the source threw first. */
  check(): void {
    if (this.#stop !== undefined) throw this.#stop.error;
  }

  #hasRoom(): boolean {
    const { concurrency } = this.#options;
    const width = typeof concurrency === 'number' ? concurrency : concurrency();
    const window = this.#steps[0]?.isAside ? asideWindow : width * windowWidths;
    return this.#unanswered < width && this.#steps.length < window;
  }

  async #carryOut(step: T): Promise<void> {
    const underWay: StepUnderWay<O> = { outcomes: [], isAnswered: false, isAside: false, isDone: false };
    this.#steps.push(underWay);
    this.#underWay += 1;
    this.#unanswered += 1;
    const answered = () => {
      this.#takeAnswer(underWay);
      this.advance();
    };
    const setAside = () => {
      underWay.isAside = true;
      answered();
    };
    try {
      await this.#work(step, (outcome) => underWay.outcomes.push(outcome), { answered, setAside });
    } catch (error) {
      this.#stop ??= { error };
    }
    this.#takeAnswer(underWay);
    underWay.isDone = true;
    this.#underWay -= 1;
    this.#wake();
  }

  #takeAnswer(step: StepUnderWay<O>): void {
    if (!step.isAnswered) this.#unanswered -= 1;
    step.isAnswered = true;
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      const { done, value } = await this.#batches.next();
      if (done) this.#isEnded = true;
      else this.#batch = value.values();
    } catch (error) {
      this.#stop ??= { error };
    }
    this.#isReading = false;
    this.#wake();
  }
}
