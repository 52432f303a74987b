import type { JobRecord, Task } from './records.ts';

export type PendingJob = JobRecord & { readonly task: Task };

/** The jobs that were not carried out yet, the one that is due first in front. */
export class PendingJobs {
  #queue: PendingJob[] = [];

  add(job: PendingJob): void {
    // Nearly always the last place; only a restart with a shorter delay brings a job that overtakes others.
    let place = this.#queue.length;
    while (place > 0 && (this.#queue[place - 1]?.dueAtMs ?? 0) > job.dueAtMs) place -= 1;
    this.#queue.splice(place, 0, job);
  }

  /** Takes out all that are due, in order. */
  takeDue(nowMs: number): readonly PendingJob[] {
    const firstLater = this.#queue.findIndex((job) => job.dueAtMs > nowMs);
    return this.#queue.splice(0, firstLater === -1 ? this.#queue.length : firstLater);
  }
}
