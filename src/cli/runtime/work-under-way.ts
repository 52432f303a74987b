import { Failure } from '../../base/failure.ts';
import { sentenceList } from '../../base/sentence-list.ts';
import type { Notices } from '../../output/terminal/notices.ts';
import { counted } from '../../output/terminal/totals.ts';
import type { Context } from './command.ts';

/** The work that a command finishes after a first signal. */
export class WorkUnderWay {
  readonly #counts = new Map<() => number, string>();

  /** Adds a counter of work units, each a `noun`; returns a function that removes it. */
  add(noun: string, count: () => number): () => void {
    this.#counts.set(count, noun);
    return () => this.#counts.delete(count);
  }

  /** `1 payment and 3 requests`; undefined if nothing is under way. */
  inWords(): string | undefined {
    const words = [...this.#counts].flatMap(([count, noun]) => (count() === 0 ? [] : counted(count(), noun)));
    return words.length === 0 ? undefined : sentenceList(words, 'and');
  }
}

/** A command that a signal may interrupt. */
interface Interruptible {
  readonly context: Pick<Context, 'stopping' | 'leaving'>;
  readonly notices: Notices;
  readonly underWay: WorkUnderWay;
  /** The next step for a person after the work under way was abandoned. */
  readonly nextStep: () => string;
}

/**
 * Reports the work being completed at the first signal, if that takes time, and the next step at the second one.
 * @returns a function that removes the listeners.
 */
export function announceStop({ context, notices, underWay, nextStep }: Interruptible): () => void {
  const { stopping, leaving } = context;
  const onStop = () => {
    // Work that the signal ends at once is gone by then.
    setImmediate(() => {
      const work = underWay.inWords();
      if (work === undefined) return;
      const [word, again] = isTerminated(stopping.reason)
        ? ['terminated', 'a second signal']
        : ['interrupted', 'Ctrl-C again'];
      notices.warning(`${word}: finishing ${work}; ${again} stops at once`);
    });
  };
  const onLeave = (event: Event) => {
    // A command that runs others reports for them.
    event.stopImmediatePropagation();
    const work = underWay.inWords();
    const left = work === undefined ? '' : ` without finishing ${work}`;
    const kind = isTerminated(stopping.reason) ? 'terminated' : 'interrupted';
    notices.error(new Failure(kind, `${kind}: stopped at once${left}`, nextStep()));
  };
  stopping.addEventListener('abort', onStop, { once: true });
  leaving?.addEventListener('abort', onLeave, { once: true });
  return () => {
    stopping.removeEventListener('abort', onStop);
    leaving?.removeEventListener('abort', onLeave);
  };
}

function isTerminated(reason: unknown): boolean {
  return reason instanceof Failure && reason.kind === 'terminated';
}
