import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type MutantJob, type MutantNote, note, readJob, readNotes } from './mutant-job.ts';
import { type RunVitest, runTests } from './run-tests.ts';

/** The notes after test files `a` and `b` have run, and the files with which each process was started. */
async function run(notesOf: (tests: readonly string[], start: number) => readonly MutantNote[]): Promise<{
  readonly notes: readonly MutantNote[];
  readonly starts: readonly (readonly string[])[];
}> {
  const folder = mkdtempSync(join(tmpdir(), 'run-tests-'));
  const notes = join(folder, 'notes');
  writeFileSync(notes, '');
  const tests = ['a', 'b'].map((path) => ({ path, mutants: [1] }));
  const starts: (readonly string[])[] = [];
  const vitest: RunVitest = async (jobPath) => {
    const begun = readJob(jobPath).tests.map(({ path }) => path);
    starts.push(begun);
    for (const each of notesOf(begun, starts.length)) note(notes, each);
  };
  const job: MutantJob = { mutants: [], tests, notes, testsMs: 1, untilMs: Number.POSITIVE_INFINITY };
  await runTests(job, folder, vitest);
  return { notes: readNotes(notes), starts };
}

const done = (tests: readonly string[]) => tests.map((test): MutantNote => ({ kind: 'done', test }));

test('the test files of a job run in one process', async () => {
  expect(await run(done)).toEqual({ notes: done(['a', 'b']), starts: [['a', 'b']] });
});

test('a mutant with which the process stops is noticed, and its test file runs again', async () => {
  const began: MutantNote = { kind: 'began', test: 'b', mutant: 1 };
  const { notes, starts } = await run((tests, start) =>
    start === 1 ? [...done(['a']), began] : done(tests),
  );
  expect(starts).toEqual([['a', 'b'], ['b']]);
  expect(notes).toContainEqual(
    expect.objectContaining({ kind: 'ended', test: 'b', mutant: 1, state: 'overdue' }),
  );
});

test('a process that is slow to load its first test file is started again', async () => {
  expect(await run((tests, start) => (start === 1 ? [] : done(tests)))).toEqual({
    notes: done(['a', 'b']),
    starts: [
      ['a', 'b'],
      ['a', 'b'],
    ],
  });
});

test.each<[when: string, noted: readonly MutantNote[]]>([
  ['notes nothing', []],
  ['stops before any mutant', [{ kind: 'covered', test: 'a', mutants: [1] }]],
])('a test file that %s is unfit, and loses the results of no other', async (_, noted) => {
  const { notes, starts } = await run((tests) => (tests[0] === 'a' ? noted : done(tests)));
  expect(starts).toEqual([['a', 'b'], ['a', 'b'], ['b']]);
  expect(notes.filter(({ kind }) => kind !== 'covered')).toEqual([
    { kind: 'unfit', test: 'a', message: 'the process stopped without a mutant' },
    ...done(['b']),
  ]);
});
