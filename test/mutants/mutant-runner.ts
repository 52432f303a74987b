import { relative } from 'node:path';
import { type File, type Suite, startTests, type Task, type Test } from '@vitest/runner';
import { TestRunner, vi } from 'vitest';
import { type MutantNote, note, readJob, readNotes } from './mutant-job.ts';
import { installSwitch } from './mutant-switch.ts';
import { ownMsSince, timesMs } from './own-time.ts';

/** A test may work and wait so long with a mutant: so many times what it takes without, and this. */
const slowdown = 10;
const patienceMs = 3_000;
/** After it, what a test has opened is closed within so long: a mutant may keep it busy for ever. */
const hookMs = 10_000;
/** So often may a mutated file be asked for its mutants, likewise. */
const callsLeast = 2_000_000;

const job = readJob();
const mutantSwitch = installSwitch();
/** Of each mutant, the milliseconds of tests so far; of noticed ones, without end. */
const spentMs = new Map<number, number>();
for (const known of readNotes(job.notes)) spend(known);

function spend(known: MutantNote): void {
  if (known.kind !== 'ended') return;
  const isOver = known.state !== 'unnoticed';
  spentMs.set(known.mutant, isOver ? Infinity : (spentMs.get(known.mutant) ?? 0) + known.ownMs);
}

function write(noted: MutantNote): void {
  note(job.notes, noted);
  spend(noted);
}

/** What a run of a test file without a mutant shows. */
interface Baseline {
  /** The ids of the tests that reach a mutant; undefined where all may, since it acts as the file is loaded. */
  readonly reachedBy: ReadonlyMap<number, ReadonlySet<string> | undefined>;
  /** How long each test takes. */
  readonly tookMs: ReadonlyMap<string, number>;
  readonly calls: number;
}

/**
 * Runs each test file once without a mutant, and then, in the same process, with each that it reaches until a test
 * fails. That is what makes thousands of mutants affordable: a process and its modules are loaded once a test file.
 */
class MutantRunner extends TestRunner {
  #reachedBy = new Map<number, Set<string> | undefined>();
  #current: string | undefined;

  /** Modules are loaded anew for each test file, so that it is seen what they reach as they are. */
  onBeforeCollect(): void {
    vi.resetModules();
    this.#reachedBy = new Map();
    this.#current = undefined;
    mutantSwitch.activate(undefined);
    mutantSwitch.onReach((mutant) => {
      if (this.#current === undefined) this.#reachedBy.set(mutant, undefined);
      else if (!this.#reachedBy.has(mutant)) this.#reachedBy.set(mutant, new Set([this.#current]));
      else this.#reachedBy.get(mutant)?.add(this.#current);
    });
  }

  /** A file that would notice nothing more is not even loaded. */
  override importFile(filepath: string, source: 'collect' | 'setup'): unknown {
    if (livingIn(relative('', filepath)).length === 0) return undefined;
    return super.importFile(filepath, source);
  }

  override async onBeforeRunSuite(suite: Suite): Promise<void> {
    if ('filepath' in suite && livingIn(pathOf(suite.file)).length === 0) {
      suite.mode = 'skip';
      write({ kind: 'done', test: pathOf(suite.file) });
    }
    await super.onBeforeRunSuite(suite);
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test);
    this.#current = test.concurrent === true ? undefined : test.id;
  }

  override onAfterRunTask(test: Test): void {
    super.onAfterRunTask(test);
    this.#current = undefined;
  }

  override async onAfterRunSuite(suite: Suite): Promise<void> {
    await super.onAfterRunSuite(suite);
    if ('filepath' in suite && suite.mode !== 'skip') await this.#tryMutants(suite.file);
  }

  async #tryMutants(file: File): Promise<void> {
    const path = pathOf(file);
    const living = livingIn(path);
    const failed = testsOf(file).find((test) => test.result?.state === 'fail');
    if (file.result?.state === 'fail') {
      const message = failed === undefined ? 'it cannot be loaded' : failed.name;
      write({ kind: 'unfit', test: path, message });
    } else if (living.length > 0) {
      const calls = mutantSwitch.calls();
      const tookMs = new Map(testsOf(file).map(({ id, result }) => [id, result?.duration ?? 0]));
      const baseline = { reachedBy: new Map(this.#reachedBy), tookMs, calls };
      const reached = living.filter((mutant) => baseline.reachedBy.has(mutant));
      write({ kind: 'covered', test: path, mutants: reached });
      for (const mutant of reached) {
        if (Date.now() < job.untilMs) await tryMutant(this, file, mutant, baseline);
      }
    }
    write({ kind: 'done', test: path });
  }
}

function pathOf(file: File): string {
  return file.name;
}

/** The mutants that a test file may notice, and that none has noticed so far; none once the time is over. */
function livingIn(path: string): readonly number[] {
  if (Date.now() >= job.untilMs) return [];
  const mutants = job.tests.find((test) => test.path === path)?.mutants ?? [];
  return mutants.filter((mutant) => (spentMs.get(mutant) ?? 0) < job.testsMs);
}

function testsOf(suite: Suite): readonly Test[] {
  return suite.tasks.flatMap((task: Task) => (task.type === 'test' ? [task] : testsOf(task)));
}

async function tryMutant(
  runner: MutantRunner,
  file: File,
  mutant: number,
  baseline: Baseline,
): Promise<void> {
  const test = pathOf(file);
  write({ kind: 'began', test, mutant });
  const before = timesMs();
  const found = await runWith(runner, file, { mutant, wanted: baseline.reachedBy.get(mutant), baseline });
  const isSure =
    found === undefined ||
    (await runWith(runner, file, { mutant: undefined, wanted: new Set([found.id]), baseline })) === undefined;
  const state = found === undefined || !isSure ? 'unnoticed' : found.isOverdue ? 'overdue' : 'killed';
  const by = state === 'unnoticed' ? undefined : found?.name;
  write({ kind: 'ended', test, mutant, state, by, ownMs: Math.round(ownMsSince(before)) });
}

interface Trial {
  readonly mutant: number | undefined;
  /** The ids of the tests to run; all if undefined, with modules that are loaded anew. */
  readonly wanted: ReadonlySet<string> | undefined;
  readonly baseline: Baseline;
}

/** The first test that fails. A test that fails without the mutant too, when it runs alone, shows nothing. */
interface FailedTest {
  readonly id: string;
  readonly name: string;
  readonly isOverdue: boolean;
}

async function runWith(runner: MutantRunner, file: File, trial: Trial): Promise<FailedTest | undefined> {
  const { mutant, wanted, baseline } = trial;
  if (wanted === undefined) vi.resetModules();
  mutantSwitch.activate(mutant, callsLeast + slowdown * 10 * baseline.calls);
  const inner = new TrialRunner({ ...runner.config, hookTimeout: hookMs });
  inner.adopt(runner, trial);
  try {
    const [ran] = await startTests([file.filepath], inner);
    if (inner.failed !== undefined || ran?.result?.state !== 'fail') return inner.failed;
    return { id: '', name: ran.result.errors?.[0]?.message ?? 'the file', isOverdue: false };
  } finally {
    mutantSwitch.activate(undefined);
    if (wanted === undefined) vi.resetModules();
  }
}

/** Runs the wanted tests of a file until one fails. Nothing of it reaches the reports of vitest. */
class TrialRunner extends TestRunner {
  failed: FailedTest | undefined;
  #trial: Trial | undefined;

  /** Takes over what vitest gave to the runner that it made. */
  adopt(runner: MutantRunner, trial: Trial): void {
    Object.defineProperty(this, 'moduleRunner', { value: Reflect.get(runner, 'moduleRunner') });
    Object.assign(this, { _otel: Reflect.get(runner, '_otel') });
    this.#trial = trial;
  }

  /** The file alone is evaluated anew, as files of a set-up are, to collect its tests once more. */
  override importFile(filepath: string): unknown {
    return super.importFile(filepath, 'setup');
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    const wanted = this.#trial?.wanted;
    if (this.failed !== undefined || (wanted !== undefined && !wanted.has(test.id))) test.mode = 'skip';
    await super.onBeforeRunTask(test);
  }

  async runTask(test: Test): Promise<void> {
    const limitMs = patienceMs + slowdown * (this.#trial?.baseline.tookMs.get(test.id) ?? 0);
    const before = timesMs();
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_, reject) => {
      const wait = (leftMs: number) => {
        timer = setTimeout(() => {
          const restMs = limitMs - ownMsSince(before);
          if (restMs < 1) reject(new Error(overdueMessage));
          else wait(restMs);
        }, leftMs);
      };
      wait(limitMs);
    });
    try {
      await Promise.race([TestRunner.getTestFn(test)(), overdue]);
    } finally {
      clearTimeout(timer);
    }
  }

  override onAfterRunTask(test: Test): void {
    super.onAfterRunTask(test);
    if (test.result?.state !== 'fail') return;
    const isOverdue = test.result.errors?.some(({ message }) => message === overdueMessage) === true;
    this.failed ??= { id: test.id, name: test.name, isOverdue };
  }

  override async onAfterRunSuite(): Promise<void> {}
}

const overdueMessage = 'the test takes far longer than without the mutant';

export { MutantRunner as default };
