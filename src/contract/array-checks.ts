import { hint, reviewctl } from '../base/hint.ts';
import { readFilters } from './array-filters.ts';
import { type Assumptions, assumptionsSchema } from './assumptions.ts';
import { type AssumptionFinding, confirmed, type Examine, refuted } from './evidence.ts';

/** The known notations of array parameters. */
export const arrayStyles = assumptionsSchema.shape.arrayQuery.unwrap().options;

/** Checks the records of a list against the array parameters that filtered it (assumption `arrayQuery`). */
export const examineArrays: Examine = ({ operation, query, value }, assumptions) => {
  if (query === undefined || value === undefined) return [];
  const { data } = value as { readonly data?: readonly unknown[] };
  return readFilters(operation, query, data ?? []).flatMap(({ parameter, shown, unrequested }) => {
    if (unrequested !== undefined) return misreadArrays(notAskedFor(operation, parameter), assumptions);
    // A single value has the same notation in two styles.
    return shown.size > 1 ? confirmed(severalShown) : [];
  });
};

const severalShown = 'a list filtered by several values shows records with more than one of them';

function notAskedFor(operation: string, parameter: string): string {
  return `${operation}: the service sends records that the parameter ${parameter} did not ask for`;
}

/** Evidence that the service does not read array parameters as they are written. */
export function misreadArrays(
  finding: string,
  { arrayQuery }: Pick<Assumptions, 'arrayQuery'>,
): AssumptionFinding {
  const others = arrayStyles.filter((style) => style !== arrayQuery);
  const flags = others.map((style) => `--assume arrayQuery=${style}`).join(' or ');
  return refuted(
    finding,
    hint`it may read array parameters in another style: try ${flags}; to find out: ${reviewctl`doctor --assumptions`}`,
  );
}
