import { relative } from 'node:path';
import { type File, type Suite, startTests, type Task, type Test } from '@vitest/runner';
import { TestRunner, vi } from 'vitest';
import { type MutantNote, note, readJob, readNotes } from './mutant-job.ts';
import { installSwitch } from './mutant-switch.ts';
import { ownMsSince, timesMs } from './own-time.ts';

/** The time limit of a test with a mutant: this multiple of its time without one, plus this patience. */
const slowdown = 10;
const patienceMs = 3_000;
/** The time limit of hooks after a test, which a mutant may keep busy for ever. */
const hookMs = 10_000;
/** The minimum limit of lookups by a mutated file, for the same reason. */
const callsLeast = 2_000_000;

const job = readJob();
const mutantSwitch = installSwitch();
/** Milliseconds of tests so far by mutant; infinite for killed ones. */
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

/** The result of a run of a test file without a mutant. */
interface Baseline {
  /** Ids of the tests that reach a mutant; undefined if all may, because it takes effect while the file is loaded. */
  readonly reachedBy: ReadonlyMap<number, ReadonlySet<string> | undefined>;
  readonly tookMs: ReadonlyMap<string, number>;
  readonly calls: number;
}

/**
 * Runs each test file once without a mutant, and then, in the same process, with each mutant that it reaches until a
 * test fails. This makes thousands of mutants affordable, because a process loads its modules once per test file.
 */
class MutantRunner extends TestRunner {
  #reachedBy = new Map<number, Set<string> | undefined>();
  #current: string | undefined;

  /** Reloads modules for each test file, to record the mutants that they reach while loading. */
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

  /** Skips loading a file that cannot kill any remaining mutant. */
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

/** Mutants that a test file may kill and that are still alive; none after the time limit. */
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
  /** The ids of the tests to run; undefined for all tests, with reloaded modules. */
  readonly wanted: ReadonlySet<string> | undefined;
  readonly baseline: Baseline;
}

/** The first failing test. It does not count if it also fails alone without the mutant. */
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

/** Runs the wanted tests of a file until one fails, without any output in vitest's reports. */
class TrialRunner extends TestRunner {
  failed: FailedTest | undefined;
  #trial: Trial | undefined;

  /** Copies the internals that vitest assigned to its own runner. */
  adopt(runner: MutantRunner, trial: Trial): void {
    Object.defineProperty(this, 'moduleRunner', { value: Reflect.get(runner, 'moduleRunner') });
    Object.assign(this, { _otel: Reflect.get(runner, '_otel') });
    this.#trial = trial;
  }

  /** Evaluates only the test file again, as a setup file, to collect its tests. */
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
