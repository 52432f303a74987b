import type { Notices } from '../../../output/terminal/notices.ts';
import { grouped } from '../../../output/terminal/totals.ts';
import type { PushOutcome } from '../../../push/steps/outcome.ts';

/** More records than this with one new name are suspicious if they are most of the changed ones. */
const suspiciousFrom = 50;
/** Maximum names that are counted; a common name occurs among the first ones. */
const namesMaximum = 10_000;

/** Finds a new name that most of the changed records get: the sign of a broken export. */
export class CommonName {
  readonly #counts = new Map<string, number>();
  #changed = 0;

  add({ outcome, changes }: PushOutcome): void {
    if (outcome !== 'updated') return;
    this.#changed += 1;
    const name = changes?.['name']?.to;
    if (typeof name !== 'string') return;
    if (this.#counts.has(name) || this.#counts.size < namesMaximum)
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  warn(notices: Pick<Notices, 'warning'>): void {
    for (const [name, count] of this.#counts) {
      if (count <= suspiciousFrom || count * 2 <= this.#changed) continue;
      notices.warning(
        `${grouped(count)} of ${grouped(this.#changed)} changed records get the same new name, ` +
          JSON.stringify(name),
        'check the column of names; --max-change 10% would send nothing of such a file',
      );
    }
  }
}
