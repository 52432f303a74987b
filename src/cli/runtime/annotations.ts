import { appendFileSync } from 'node:fs';
import { messageOf } from '../../base/failure.ts';
import type { Problem } from '../../input/records/problem.ts';
import type { GithubProblem } from '../../output/reports/github-problems.ts';
import type { Notices } from '../../output/terminal/notices.ts';
import { writeError } from '../../output/terminal/streams.ts';
import { terminalText } from '../../output/terminal/terminal-text.ts';
import type { Context } from './context.ts';

/** Marks problems of the input where a CI shows them. */
export interface Annotations {
  add(problem: GithubProblem): void;
}

/** What is shown at the end of a run, besides what was shown before. */
interface OpenAnnotations extends Annotations {
  end(): void;
}

interface AnnotatedRun {
  /** As given with --problems. */
  readonly format: unknown;
  /** The words that call the command. */
  readonly title: string;
  readonly context: Context;
  readonly notices: Notices;
}

/** GitHub shows ten errors of a step; more lines only make its log longer. */
const commandsMaximum = 50;
/** A job summary may have 1 MiB. */
const rowsMaximum = 500;

/** Does `work` with annotations as `--problems` asks for them, and notices that annotate each problem of the input. */
export async function withAnnotations<T>(
  run: AnnotatedRun,
  work: (annotated: { readonly annotations: Annotations; readonly notices: Notices }) => Promise<T>,
): Promise<T> {
  const { format, notices } = run;
  if (format !== 'github') return work({ annotations: { add: () => undefined }, notices });
  const annotations = await openAnnotations(run);
  try {
    return await work({ annotations, notices: annotating(notices, annotations) });
  } finally {
    annotations.end();
  }
}

async function openAnnotations({ title, context, notices }: AnnotatedRun): Promise<OpenAnnotations> {
  const { errorCommand, problemTable } = await import('../../output/reports/github-problems.ts');
  const { streams, env, cwd } = context;
  const checkout = { cwd, workspace: env['GITHUB_WORKSPACE'] };
  const kept: GithubProblem[] = [];
  let count = 0;
  return {
    add: (problem) => {
      count += 1;
      if (count <= commandsMaximum) writeError(streams, `${terminalText(errorCommand(problem, checkout))}\n`);
      if (kept.length < rowsMaximum) kept.push(problem);
    },
    end: () => {
      const path = env['GITHUB_STEP_SUMMARY'];
      if (count === 0 || path === undefined || path === '') return;
      try {
        appendFileSync(path, problemTable(`reviewctl ${title}`, kept, count - kept.length));
      } catch (error) {
        notices.warning(`the job summary was not written: ${messageOf(error)}`, 'check GITHUB_STEP_SUMMARY');
      }
    },
  };
}

/** A problem of the input as one to annotate. */
export function annotationOf({ file, line, column, reason, value, remedy }: Problem): GithubProblem {
  const what = [column, reason, value === undefined ? undefined : JSON.stringify(value)].filter(Boolean);
  return { file, line, message: `${what.join(': ')}\n${String(remedy)}` };
}

function annotating(notices: Notices, annotations: Annotations): Notices {
  return {
    ...notices,
    problem: (problem) => {
      annotations.add(annotationOf(problem));
      notices.problem(problem);
    },
  };
}
