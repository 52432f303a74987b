import { Failure } from '../base/failure.ts';
import { misreadArrays } from '../contract/array-checks.ts';
import { readFilters } from '../contract/array-filters.ts';
import type { Api } from './caller.ts';
import { type ListName, type ListQuery, type PageBounds, paginate } from './paginate.ts';

/**
 * Reads the records of a list that array parameters name. A service that ignores the parameters would send
 * its whole list: the lookup ends at the first page with an unrequested record.
 * @throws Failure('contradictory-reply') for an unrequested record; else as `paginate`.
 */
export async function* lookUp<N extends ListName>(
  api: Api,
  name: N,
  query: ListQuery<N>,
  bounds?: PageBounds,
): ReturnType<typeof paginate<N>> {
  for await (const page of paginate(api, name, query, bounds)) {
    for (const { parameter, asked, unrequested } of readFilters(name, query, page.records)) {
      if (unrequested !== undefined)
        throw unaskedRecord(api, name, `${asked.size} ${parameter}`, unrequested);
    }
    yield page;
  }
}

function unaskedRecord(api: Api, operation: ListName, asked: string, unrequested: string): Failure {
  const message =
    `${operation}: asked for ${asked}, the service sent a record of '${unrequested}', ` +
    'so lookups are not possible';
  return new Failure('contradictory-reply', message, misreadArrays(message, api.assumptions).remedy, {
    operation,
  });
}
