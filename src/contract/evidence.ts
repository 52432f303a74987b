import type { HintText } from '../base/hint.ts';
import { type AssumptionName, type Assumptions, assumedValue } from './assumptions.ts';
import type { Exchange } from './exchange.ts';

/** Whether an assumption holds, by something that was seen. */
export interface AssumptionFinding {
  readonly verdict: 'confirmed' | 'refuted';
  /** What was seen, and what follows from it; the same text for the same finding. */
  readonly finding: string;
  /** How to change the assumption, or what else to do; left out where the client reads either. */
  readonly remedy?: HintText;
  /** The value of the assumption by which the service acts, where that was seen. */
  readonly shown?: string;
}

/** What was seen of an assumption. */
export interface Evidence extends AssumptionFinding {
  readonly assumption: AssumptionName;
}

/** What one exchange shows of an assumption; empty where it shows nothing. */
export type Examine = (exchange: Exchange, assumptions: Assumptions) => readonly AssumptionFinding[];

export function confirmed(finding: string): AssumptionFinding {
  return { verdict: 'confirmed', finding };
}

export function refuted(finding: string, remedy?: HintText): AssumptionFinding {
  return { verdict: 'refuted', finding, ...(remedy === undefined ? {} : { remedy }) };
}

/** Of an assumption with a few values: what the service shows is the value that is taken, or another. */
export function shownValue(
  name: keyof Assumptions,
  shown: string,
  assumptions: Assumptions,
): AssumptionFinding {
  const verdict = assumedValue(name, assumptions) === shown ? 'confirmed' : 'refuted';
  return { verdict, finding: `the service shows ${shown}`, shown };
}
