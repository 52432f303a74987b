import { type ChildProcess, spawn } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { jobVariable, type MutantJob, note, readNotes } from './mutant-job.ts';

/** A process that writes nothing for this long is stuck in a mutant, however busy the machine is. */
const silenceMs = 180_000;
/** Attempts to begin a test file before anything is noted: a busy machine may load the first one slowly. */
const beginsMaximum = 2;

/**
 * Runs the test files of a job, and restarts after each mutant that stops the process. A file that stops it without any
 * mutant is noted as unfit, and the others run without it.
 */
export async function runTests(job: MutantJob, folder: string): Promise<void> {
  let { tests } = job;
  let begins = 0;
  while (tests.length > 0 && Date.now() < job.untilMs) {
    const path = join(folder, 'job.json');
    writeFileSync(path, JSON.stringify({ ...job, tests }));
    const before = readNotes(job.notes).length;
    await runVitest(path, job, tests.length);
    const noted = readNotes(job.notes).slice(before);
    const last = noted.at(-1);
    if (last?.kind === 'began') {
      const { test, mutant } = last;
      const by = 'the process stopped';
      note(job.notes, { kind: 'ended', test, mutant, state: 'overdue', by, ownMs: silenceMs });
    }
    begins = noted.some(({ kind }) => kind === 'began' || kind === 'done') ? 0 : begins + 1;
    const done = new Set(noted.flatMap((each) => (each.kind === 'done' ? each.test : [])));
    const [next, ...others] = tests.filter(({ path: test }) => !done.has(test));
    if (next === undefined) return;
    if (begins === beginsMaximum) {
      note(job.notes, { kind: 'unfit', test: next.path, message: 'the process stopped without a mutant' });
      begins = 0;
      tests = others;
    } else tests = [next, ...others];
  }
}

/** Runs vitest with the job at this path until this number of test files is done, or its notes stop. */
async function runVitest(jobPath: string, { notes }: MutantJob, files: number): Promise<void> {
  const child = spawn(
    'npx',
    ['--no', 'vitest', 'run', '--config', 'test/mutants/vitest-config.ts', '--silent'],
    { env: { ...process.env, [jobVariable]: jobPath, CI: '1' }, detached: true, stdio: 'ignore' },
  );
  const startedAtMs = Date.now();
  const start = readNotes(notes).length;
  while (child.exitCode === null && child.signalCode === null) {
    await systemClock.sleep(200);
    const isSilent = Date.now() - Math.max(statSync(notes).mtimeMs, startedAtMs) > silenceMs;
    const done = readNotes(notes)
      .slice(start)
      .filter(({ kind }) => kind === 'done').length;
    if (isSilent || done === files) endGroup(child);
  }
}

/** Kills the whole group, because a mutant may keep a worker busy for ever. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
