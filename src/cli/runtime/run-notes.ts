import type { Failure } from '../../base/failure.ts';
import { Hint, type HintText } from '../../base/hint.ts';
import type { RunFacts } from '../../output/reports/run-summary.ts';
import type { Notices } from '../../output/terminal/notices.ts';

/** Maximum next commands of a summary: nobody reads more. */
const nextMaximum = 5;

/** The sources of next commands, the most important first. */
const ranks = ['error', 'warning', 'info'] as const;
type Rank = (typeof ranks)[number];

/** The facts that a run notes for its summary. */
export class RunNotes {
  #facts: RunFacts = {};
  readonly #next: { readonly rank: Rank; readonly hint: Hint }[] = [];

  /** The id of the recorded run, if there is one. */
  get run(): string | undefined {
    return this.#facts.run;
  }

  /** Later facts replace earlier ones of the same name. */
  note(facts: Pick<RunFacts, 'run' | 'counts' | 'amounts'>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /** Notices that also note the failure of the run, and the commands in messages. */
  watch(notices: Notices): Notices {
    const add = (rank: Rank, text: HintText | undefined) => {
      if (text instanceof Hint) this.#next.push({ rank, hint: text });
    };
    return {
      ...notices,
      info: (message) => {
        add('info', message);
        notices.info(message);
      },
      warning: (message, hint) => {
        add('warning', hint);
        notices.warning(message, hint);
      },
      error: (failure: Failure) => {
        add('error', failure.nextStep);
        this.#facts = { ...this.#facts, error: failure.kind };
        notices.error(failure);
      },
    };
  }

  /** All facts; `complete` adds the flags that a command needs. */
  facts(complete: Notices['complete']): RunFacts {
    const { run } = this.#facts;
    const hints = ranks.flatMap((rank) => this.#next.filter((one) => one.rank === rank));
    const commands = hints.flatMap(({ hint }) => hint.commands.map((command) => new Hint([command])));
    const next = commands.map((command) => complete(withoutValues(command, run)));
    return { ...this.#facts, next: [...new Set(next)].slice(0, nextMaximum) };
  }
}

/** A command without the values behind its own words, which may be personal data; the run id is kept, as it is not. */
function withoutValues({ commands }: Hint, run: string | undefined): Hint {
  return new Hint(
    commands.map(({ words, values = [] }) => ({
      words: words.map((word, at) => (at > 1 && word !== run && values.includes(word) ? '…' : word)),
    })),
  );
}
