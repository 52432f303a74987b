import { Failure } from '../base/failure.ts';
import { type FilterReading, readFilters } from '../contract/array-filters.ts';
import { misreadArrays } from '../contract/reply-checks.ts';
import type { Api } from './caller.ts';
import { endlessList } from './list-end.ts';
import { type ListName, type ListQuery, type PageBounds, paginate } from './paginate.ts';
import { ServiceFailure } from './service-failure.ts';

interface LookUpBounds extends PageBounds {
  /** The maximum number of records that can match. */
  readonly recordsMaximum?: number;
}

/**
 * Reads the records of a list that match array parameters. A service that ignores the parameters would send its whole
 * list, so the lookup ends at the first page with an unrequested record.
 * @throws Failure('contradictory-reply') for an unrequested record; Failure('inconsistent-list') for more records than
 *   `recordsMaximum`; otherwise as `paginate`. If the service refuses the list, the hint names `array-query`.
 */
export async function* lookUp<N extends ListName>(
  api: Api,
  name: N,
  query: ListQuery<N>,
  { recordsMaximum = Number.POSITIVE_INFINITY, ...bounds }: LookUpBounds = {},
): ReturnType<typeof paginate<N>> {
  let count = 0;
  try {
    for await (const page of paginate(api, name, query, bounds)) {
      for (const { parameter, asked, unrequested } of readFilters(name, query, page.records)) {
        if (unrequested !== undefined)
          throw unaskedRecord(api, name, { asked, parameter, unrequested }, 'lookups are not possible');
      }
      count += page.records.length;
      if (count > recordsMaximum) {
        throw endlessList(name, `asked for at most ${recordsMaximum} records, the service gave ${count}`);
      }
      yield page;
    }
  } catch (error) {
    if (!(error instanceof ServiceFailure) || error.kind !== 'usage') throw error;
    // No flag gives the values of a lookup, so what a person can correct is how they are written.
    throw error.because(error.reason, misreadArrays(error.message, api.assumptions).remedy);
  }
}

/** The failure for a record that a filter excludes; `so` is the consequence. */
export function unaskedRecord(
  api: Pick<Api, 'assumptions'>,
  operation: ListName,
  { asked, parameter, unrequested }: Pick<FilterReading, 'asked' | 'parameter' | 'unrequested'>,
  so: string,
): Failure {
  const message =
    `${operation}: asked for ${asked.size} ${parameter}, the service sent a record of '${unrequested}', ` +
    `so ${so}`;
  return new Failure('contradictory-reply', message, misreadArrays(message, api.assumptions).remedy, {
    operation,
  });
}
