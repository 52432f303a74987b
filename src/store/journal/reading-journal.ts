import { streamOf } from '../../base/lists.ts';
import type { PushJournal } from './push-journal.ts';

type Reads = Pick<PushJournal, 'known' | 'itemsOf' | 'jobs' | 'close'>;

/** A journal for reading alone. A write throws, because it would be a bug. */
export function readingJournal(reads: Reads): PushJournal {
  const refuse = async () => {
    throw new Error('this journal was opened for reading');
  };
  return {
    ...reads,
    knownBefore: async () => reads.known,
    begin: refuse,
    end: refuse,
    endJobs: refuse,
    recover: refuse,
    unresolved: refuse,
    resolve: refuse,
  };
}

/** A journal that was never written. */
export function emptyJournal(): PushJournal {
  const none = async () => new Map<never, never>();
  return readingJournal({
    known: none,
    itemsOf: none,
    jobs: () => streamOf([]),
    close: async () => undefined,
  });
}
