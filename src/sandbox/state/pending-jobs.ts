import type { StoredJob, Task } from './records.ts';

type PendingJob = StoredJob & { readonly task: Task };

/** The jobs that have not been carried out, in the order in which they are due. */
export class PendingJobs {
  #queue: PendingJob[] = [];

  add(job: PendingJob): void {
    // Nearly always the end: only after a restart with a shorter delay is a new job due before others.
    let place = this.#queue.length;
    while (place > 0 && (this.#queue[place - 1]?.dueAtMs ?? 0) > job.dueAtMs) place -= 1;
    this.#queue.splice(place, 0, job);
  }

  /** Removes and returns all jobs that are due, in order. */
  takeDue(nowMs: number): readonly PendingJob[] {
    const firstLater = this.#queue.findIndex((job) => job.dueAtMs > nowMs);
    return this.#queue.splice(0, firstLater === -1 ? this.#queue.length : firstLater);
  }
}
