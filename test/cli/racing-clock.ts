import { ManualClock } from '../sandbox/manual-clock.ts';

/** A clock that moves on by ten seconds whenever a duration is measured, so that progress is due at every step. */
export class RacingClock extends ManualClock {
  override monotonicMs(): number {
    this.advance(10_000);
    return super.monotonicMs();
  }
}
