import { ManualClock } from '../sandbox/manual-clock.ts';

/** A clock that advances by ten seconds at each measurement of a duration, so that progress is due at every step. */
export class RacingClock extends ManualClock {
  override monotonicMs(): number {
    this.advance(10_000);
    return super.monotonicMs();
  }
}
