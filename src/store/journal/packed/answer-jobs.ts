import type { JobState } from '../../../contract/states.ts';
import type { JournaledJob, JournaledKind } from '../push-journal.ts';
import type { Answer } from './answer.ts';
import { codeOfJobState, jobStateOf, stateCodes } from './enum-codes.ts';
import { maskOf } from './fate-codec.ts';

/** Jobs of one page. */
const pageSize = 500;
/** Answers that are read at once for a page. */
const answersAtOnce = 20;

const jobStates = Object.keys(codeOfJobState) as JobState[];

/** Which jobs are listed, and by which states their answers are found. */
export interface JobFilter {
  readonly mask: number;
  readonly isWanted: (job: JournaledJob) => boolean;
}

export function jobFilter(state: JobState | undefined, kind: JournaledKind | undefined): JobFilter {
  const wanted = state === undefined ? jobStates : [state];
  return {
    mask: wanted.reduce((sum, one) => sum | maskOf(codeOfJobState[one]), 0),
    isWanted: (job) =>
      (state === undefined || job.state === state) && (kind === undefined || job.kind === kind),
  };
}

/** The entry from which on the next page is read. */
export interface JobPlace {
  readonly answer: number;
  readonly position: number;
}

export interface JobPage {
  readonly page: readonly JournaledJob[];
  /** None where it is the last. */
  readonly next?: JobPlace;
}

/** Takes a page of jobs, from answers that are given a slice at a time. */
export class JobPageReader {
  readonly #page: JournaledJob[] = [];
  readonly #from: JobPlace;
  readonly #filter: JobFilter;
  #last: number;

  constructor(from: JobPlace, filter: JobFilter) {
    this.#from = from;
    this.#filter = filter;
    this.#last = from.answer - 1;
  }

  /** Which answers come next: at most `limit` after `id` that hold one of the states of `mask`. */
  get wanted(): { readonly id: number; readonly mask: number; readonly limit: number } {
    return { id: this.#last, mask: this.#filter.mask, limit: answersAtOnce };
  }

  /** Takes those answers; undefined where the page wants more. */
  take(answers: readonly Answer[]): JobPage | undefined {
    for (const answer of answers) {
      const first = answer.id === this.#from.answer ? this.#from.position : 0;
      for (let position = first; position < answer.entries.count; position += 1) {
        if (this.#page.length === pageSize) {
          return { page: this.#page, next: { answer: answer.id, position } };
        }
        const job = jobAt(answer, position);
        if (job !== undefined && this.#filter.isWanted(job)) this.#page.push(job);
      }
      this.#last = answer.id;
    }
    return answers.length < answersAtOnce ? { page: this.#page } : undefined;
  }
}

/** None of an order: it is listed by its items, which share its job. */
function jobAt({ entries, fates, run }: Answer, position: number): JournaledJob | undefined {
  const state = fates.stateAt(position);
  const jobId = fates.jobIdAt(position);
  const kind = entries.kindAt(position);
  if (state === stateCodes.none || jobId === undefined || kind === 'order') return undefined;
  return {
    jobId,
    state: jobStateOf(state),
    kind,
    originId: entries.originIdAt(position),
    objectId: fates.objectIdAt(position) ?? null,
    failureReason: fates.failureReasonAt(position) ?? null,
    run,
  };
}
