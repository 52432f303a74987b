import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../src/base/random.ts';
import { addFigures } from '../campaign/figures.ts';
import { changeOf, knownEquivalents } from './equivalents.ts';
import { type MutantJob, type MutantNote, readNotes } from './mutant-job.ts';
import { mutationsOf } from './mutations.ts';
import { type ReachingTests, readReachingTests, typeScriptIn } from './reaching-tests.ts';
import { runTests } from './run-tests.ts';

type Mutant = MutantJob['mutants'][number];

export interface MutantsCampaign {
  /** The files to mutate; empty for all in `scope`. */
  readonly files: readonly string[];
  /** The number of their mutants to draw. */
  readonly sample: number;
  readonly seed: number;
  readonly minutes: number;
  /** Test files that load more files than this are skipped. */
  readonly weightMaximum?: number;
}

export interface MutantsReport {
  readonly killed: readonly Mutant[];
  /** Killed because a test did not end. */
  readonly overdue: readonly Mutant[];
  readonly survived: readonly Mutant[];
  /** Survivors that a reviewed file lists as equivalent. */
  readonly equivalent: readonly Mutant[];
  /** No quick test reaches them in its own process. */
  readonly uncovered: readonly Mutant[];
  /** The time ended before any test. */
  readonly untried: readonly Mutant[];
  /** True if tests were skipped for lack of time. */
  readonly isOverTime: boolean;
  /** Test files that fail without any mutant. */
  readonly unfit: readonly string[];
}

/** The share of reached mutants in a sample that must be killed; of named files, all must be. */
const scoreLeast = 0.9;
/** The rooms whose files are sampled. */
const scope = ['src/settle', 'src/store', 'src/push', 'src/client', 'src/payer', 'src/input/cells'];
/** The limit of working and waiting time for all tests of one mutant, nearest first. */
const testsMs = 20_000;
/** Test files run in rounds by distance: first those that import a mutated file directly, then farther ones. */
const rounds = [1, 2, 4, Number.POSITIVE_INFINITY];

/** Tries the mutants of these files, or a sample of all, with the tests that reach them. */
export async function tryMutants(options: MutantsCampaign): Promise<MutantsReport> {
  const mutants = chosenMutants(options);
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  const notes = join(folder, 'notes');
  writeFileSync(notes, '');
  try {
    const reaching = readReachingTests();
    const untilMs = Date.now() + options.minutes * 60_000;
    let open = mutants;
    let nearer = 0;
    for (const farther of rounds) {
      const { weightMaximum = Number.POSITIVE_INFINITY } = options;
      const tests = testsOf(open, reaching, { nearer, farther, weightMaximum });
      nearer = farther;
      await runTests({ mutants, tests, notes, testsMs, untilMs }, folder);
      open = openAfter(mutants, readNotes(notes));
    }
    const report = reportOf(mutants, readNotes(notes), Date.now() > untilMs);
    addFigures('mutants', { mutants: mutants.length - report.uncovered.length - report.untried.length });
    return report;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The mutants still alive. Known equivalents only run in the nearest tests, since no other would kill them. */
function openAfter(mutants: readonly Mutant[], notes: readonly MutantNote[]): readonly Mutant[] {
  const noticed = new Set(
    notes.flatMap((each) => (each.kind === 'ended' && each.state !== 'unnoticed' ? each.mutant : [])),
  );
  const isEquivalent = knownEquivalents();
  return mutants.filter((mutant) => !noticed.has(mutant.id) && !isEquivalent(mutant));
}

function chosenMutants({ files, sample, seed }: MutantsCampaign): readonly Mutant[] {
  const paths = files.length > 0 ? files : scope.flatMap(typeScriptIn).toSorted();
  const all = paths.flatMap((path) =>
    mutationsOf(path, readFileSync(path, 'utf8')).map((mutation) => ({ ...mutation, path })),
  );
  const numbered = all.map((mutation, id) => ({ ...mutation, id }));
  if (sample >= numbered.length) return numbered;
  const random = seededRandom(seed);
  const drawn = numbered.map((mutant) => [random(), mutant] as const);
  return drawn
    .toSorted(([one], [other]) => one - other)
    .slice(0, sample)
    .map(([, mutant]) => mutant);
}

function testsOf(
  mutants: readonly Mutant[],
  reaching: ReachingTests,
  { nearer, farther, weightMaximum }: Readonly<Record<'nearer' | 'farther' | 'weightMaximum', number>>,
): MutantJob['tests'] {
  const tests = new Map<string, { readonly weight: number; readonly mutants: number[] }>();
  for (const path of new Set(mutants.map((mutant) => mutant.path))) {
    const ids = mutants.flatMap((mutant) => (mutant.path === path ? mutant.id : []));
    for (const [test, { distance, weight }] of reaching(path)) {
      if (distance <= nearer || distance > farther || weight > weightMaximum) continue;
      const known = tests.get(test);
      tests.set(test, {
        weight: Math.min(weight, known?.weight ?? weight),
        mutants: [...(known?.mutants ?? []), ...ids],
      });
    }
  }
  return [...tests]
    .toSorted(([, one], [, other]) => one.weight - other.weight)
    .map(([path, test]) => ({ path, mutants: test.mutants }));
}

function reportOf(
  mutants: readonly Mutant[],
  notes: readonly MutantNote[],
  isOverTime: boolean,
): MutantsReport {
  const covered = new Set(notes.flatMap((each) => (each.kind === 'covered' ? each.mutants : [])));
  const statesOf = (mutant: Mutant) =>
    notes.flatMap((each) => (each.kind === 'ended' && each.mutant === mutant.id ? each.state : []));
  const isFound = (state: string) => (mutant: Mutant) => statesOf(mutant).some((each) => each === state);
  const killed = mutants.filter(isFound('killed'));
  const overdue = mutants.filter((mutant) => !killed.includes(mutant) && isFound('overdue')(mutant));
  const others = mutants.filter((mutant) => !killed.includes(mutant) && !overdue.includes(mutant));
  const unnoticed = others.filter(({ id }) => covered.has(id));
  const isTried = (mutant: Mutant) => statesOf(mutant).length > 0;
  const left = unnoticed.filter((mutant) => !isOverTime || isTried(mutant));
  const isEquivalent = knownEquivalents();
  const isOther = (mutant: Mutant) => !isEquivalent(mutant);
  return {
    killed,
    overdue,
    survived: left.filter(isOther),
    equivalent: others.filter(isEquivalent),
    uncovered: others.filter(({ id }) => !covered.has(id)).filter(isOther),
    untried: unnoticed.filter((mutant) => !left.includes(mutant)).filter(isOther),
    isOverTime,
    unfit: notes.flatMap((each) => (each.kind === 'unfit' ? `${each.test}: ${each.message}` : [])),
  };
}

/**
 * The long version of `mutants.campaign.ts`. Returns false if too many mutants survived that are not listed as
 * equivalent.
 */
export async function mutantsCampaign(options: MutantsCampaign): Promise<boolean> {
  const report = await tryMutants(options);
  for (const [name, mutants] of [
    ['survived', report.survived],
    ['not covered', report.uncovered],
    ['not tried', report.untried],
    ['equivalent', report.equivalent],
  ] as const) {
    for (const mutant of mutants) {
      const { path, number, line, becomes } = changeOf(mutant);
      console.log(`${name}: ${path}:${number}\n  ${line}\n  ${becomes}`);
    }
  }
  if (report.isOverTime) console.log('the time was over: tests that did not run may notice more');
  for (const test of report.unfit) console.log(`fails without any mutant: ${test}`);
  const { killed, overdue, survived, equivalent, uncovered, untried } = report;
  const noticed = killed.length + overdue.length;
  const tried = noticed + survived.length;
  const score = tried === 0 ? 1 : noticed / tried;
  const total = tried + equivalent.length;
  console.log(
    `${total + uncovered.length + untried.length} mutants: ${noticed} noticed ` +
      `(${overdue.length} because a test did not end), ${survived.length} survived, ${equivalent.length} ` +
      `equivalent, ${uncovered.length} not covered, ${untried.length} not tried; ` +
      `${(100 * score).toFixed(1)} % of those covered`,
  );
  const isEnough = options.files.length > 0 ? survived.length === 0 : score >= scoreLeast;
  return isEnough && report.unfit.length === 0;
}
