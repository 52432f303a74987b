import type { JobEnd, Resolution } from '../push-journal.ts';
import type { Answer, FoundRecord } from './answer.ts';
import { codeOfJobState, stateCodes } from './enum-codes.ts';
import { clearFate, type Fates } from './fate-codec.ts';

/** An answer, and what is to be known of its entries from now on. */
export interface ChangedAnswer {
  readonly answer: Answer;
  readonly fates: Fates;
}

/** Changes of what is known of entries, so that an answer is written once however many of its entries changed. */
export class AnswerChanges {
  readonly #changed = new Map<number, ChangedAnswer>();

  /** The answers that have changed. */
  all(): Iterable<ChangedAnswer> {
    return this.#changed.values();
  }

  /** How the job of a record ended. Of a record that has another job by now, nothing changes. */
  endJob({ answer, position }: FoundRecord, { jobId, state, objectId, failureReason }: JobEnd): void {
    if (answer.fates.jobIdAt(position) !== jobId) return;
    const fates = this.#fatesOf(answer);
    fates.states[position] = codeOfJobState[state];
    fates.objectIds[position] = objectId;
    fates.failureReasons[position] = failureReason;
  }

  /** Takes away what is known of a record. */
  clear({ answer, position }: FoundRecord): void {
    clearFate(this.#fatesOf(answer), position);
  }

  /** What a person found out about an unknown record. */
  settle({ answer, position }: FoundRecord, finding: Resolution): void {
    const fates = this.#fatesOf(answer);
    if (finding === 'not-sent') clearFate(fates, position);
    // A job that did not show it is not asked again: the person has found what it made.
    else
      fates.states[position] =
        fates.jobIds[position] === undefined ? stateCodes.accepted : stateCodes.succeeded;
  }

  #fatesOf(answer: Answer): Fates {
    const changed = this.#changed.get(answer.id) ?? { answer, fates: answer.fates.unpacked() };
    this.#changed.set(answer.id, changed);
    return changed.fates;
  }
}
