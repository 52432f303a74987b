import type { PushOutcome } from './outcome.ts';

/** What is to be done with one record of the input. */
export interface Planned {
  /** What becomes of it; where something is written, provided that the service takes it. */
  readonly outcome: PushOutcome;
  /** The write, as plain data that distinguishes it from any other; none where there is nothing to do. */
  readonly write?: object;
}

/**
 * A push in its two halves, so that what is decided can be shown, kept or compared before it is sent. `R` is a record
 * of the input.
 */
export interface PushFlow<R, Step> {
  /** Compares records with the service and the journal, in input order, and sends nothing. */
  decide(batches: AsyncIterable<readonly R[]>): AsyncIterable<readonly Step[]>;
  /** By what the outcome of a record names it. */
  originIdOf(record: R): string;
  /** What a step does, record by record. */
  plannedOf(step: Step): readonly Planned[];
  /**
   * What is left of a step without the records that are not wanted; undefined where none is left. Records that are sent
   * as one are asked about together.
   */
  part(step: Step, isWanted: (records: readonly Planned[]) => boolean): Step | undefined;
  /**
   * The group of a record in a plan: records of one group are decided on together; each alone where it is left out.
   */
  readonly groupOf?: ((record: R) => string) | undefined;
  /** A step that sends nothing and reports this outcome. */
  settled(outcome: PushOutcome): Step;
  /**
   * Carries out what was decided; outcomes come in the order of the steps.
   * @throws what `steps` throws, and ServiceFailure for what no single record is to blame for, after the outcomes of
   *   all that was under way.
   */
  send(steps: AsyncIterable<readonly Step[]>): AsyncIterable<readonly PushOutcome[]>;
}

/** The part of a flow whose steps are of one record each. */
export const singleSteps = {
  plannedOf: <P extends Planned>(step: P): readonly P[] => [step],
  part: <P extends Planned>(step: P, isWanted: (records: readonly P[]) => boolean): P | undefined =>
    isWanted([step]) ? step : undefined,
};
