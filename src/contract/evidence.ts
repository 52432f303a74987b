import type { HintText } from '../base/hint.ts';
import { type AssumptionName, type Assumptions, assumedValue } from './assumptions.ts';
import type { Exchange } from './exchange.ts';

/** Whether an assumption holds, according to an observation. */
export interface AssumptionFinding {
  readonly verdict: 'confirmed' | 'refuted';
  /** The observation and its consequence; the same finding always has the same text. */
  readonly finding: string;
  /** How to change the assumption, or another remedy; undefined where the client reads either behaviour. */
  readonly remedy?: HintText;
  /** The observed value of the assumption, if one was observed. */
  readonly shown?: string;
}

/** A finding, with its assumption. */
export interface Evidence extends AssumptionFinding {
  readonly assumption: AssumptionName;
}

/** The findings on an assumption in one exchange; empty if there are none. */
export type Examine = (exchange: Exchange, assumptions: Assumptions) => readonly AssumptionFinding[];

export function confirmed(finding: string): AssumptionFinding {
  return { verdict: 'confirmed', finding };
}

export function refuted(finding: string, remedy?: HintText): AssumptionFinding {
  return { verdict: 'refuted', finding, ...(remedy === undefined ? {} : { remedy }) };
}

/** For an assumption with a few values: whether the service uses the assumed one. */
export function judgeValue(
  name: keyof Assumptions,
  shown: string,
  assumptions: Assumptions,
): AssumptionFinding {
  const verdict = assumedValue(name, assumptions) === shown ? 'confirmed' : 'refuted';
  return { verdict, finding: `the service shows ${shown}`, shown };
}
