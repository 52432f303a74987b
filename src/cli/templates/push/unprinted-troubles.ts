import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import type { PushOutcome } from '../../../push/steps/outcome.ts';

/** The most records that are named. */
const namedMaximum = 20;

/** The records of a push that need attention, for stderr where no record is printed. */
export class UnprintedTroubles {
  readonly #first: PushOutcome[] = [];
  #more = 0;

  add(outcome: PushOutcome): void {
    if (this.#first.length < namedMaximum) this.#first.push(outcome);
    else this.#more += 1;
  }

  /** Names the first ones with file, line, id and reason, and how many there are besides. */
  show(notices: Notices): void {
    for (const { file, line, originId, outcome, error } of this.#first)
      notices.info([`${file}:${line}`, originId, outcome, error].filter(Boolean).join(': '));
    if (this.#more > 0) notices.info(`and ${counted(this.#more, 'record')} more`);
  }
}
