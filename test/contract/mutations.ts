import * as z from 'zod';
import type { Operation } from '../../src/contract/operations.ts';
import { ratingParameter } from '../../src/contract/query-codecs.ts';
import type { Method } from '../../src/contract/wire.ts';
import { type Change, lifted, wordChanges } from './changes.ts';
import type { Contract } from './contract.ts';
import { bodyChanges, queryChanges, replyChanges } from './schema-changes.ts';

/** The contract with each possible single mistake in its operations, resources, states and limits. */
export function* mutationsOf(contract: Contract): Generator<Change<Contract>> {
  yield* partChanges(contract, 'documented', rowChanges);
  yield* partChanges(contract, 'optIn', rowChanges);
  yield* partChanges(contract, 'resources', replyChanges);
  yield* partChanges(contract, 'states', wordChanges);
  yield* partChanges(contract, 'observedValues', wordChanges);
  yield* partChanges(contract, 'limits', limitChanges);
  yield { title: 'path prefix: another version', value: { ...contract, pathPrefix: '/admin/v3' } };
}

function partChanges<T, Part extends keyof Contract>(
  contract: Contract & Readonly<Record<Part, Readonly<Record<string, T>>>>,
  part: Part,
  changesOf: (entry: T) => Iterable<Change<T>>,
): Generator<Change<Contract>> {
  return lifted('', recordChanges(contract[part], changesOf), (changed) => ({
    ...contract,
    [part]: changed,
  }));
}

/** Changes and removes one entry after the other. */
function* recordChanges<T>(
  record: Readonly<Record<string, T>>,
  changesOf: (entry: T) => Iterable<Change<T>>,
): Generator<Change<Readonly<Record<string, T>>>> {
  for (const [name, entry] of Object.entries(record)) {
    const { [name]: _, ...others } = record;
    yield { title: `${name}: removed`, value: others };
    yield* lifted(`${name}: `, changesOf(entry), (changed) => ({ ...record, [name]: changed }));
  }
}

const limitChanges = (limit: number): Change<number>[] => [{ title: 'one more', value: limit + 1 }];

const otherMethods: Readonly<Record<Method, Method>> = {
  GET: 'POST',
  POST: 'PUT',
  PATCH: 'PUT',
  PUT: 'PATCH',
};

function* rowChanges(row: Operation): Generator<Change<Operation>> {
  yield { title: 'method', value: { ...row, method: otherMethods[row.method] } };
  yield { title: 'isRepeatable', value: { ...row, isRepeatable: !row.isRepeatable } };
  yield* lifted('path ', pathChanges(row.path), (path) => ({ ...row, path }));
  yield* lifted('reply ', replyChanges(row.reply), (reply) => ({ ...row, reply }));
  const { query, body, ...bare } = row;
  if (query !== undefined) {
    yield { title: 'query removed', value: bare };
    yield* lifted('query ', queryChanges(query), (changed) => ({ ...row, query: changed }));
  }
  if (body !== undefined) {
    yield { title: 'body removed', value: bare };
    yield* lifted('body ', bodyChanges(body), (changed) => ({ ...row, body: changed }));
  } else {
    yield { title: 'a body added', value: { ...row, body: z.strictObject({ name: z.string().optional() }) } };
  }
  if (row.number !== undefined) yield* documentedChanges(row, row.number);
}

/** Changes that only the document reveals, because they affect neither requests nor replies. */
function* documentedChanges(row: Operation, number: number): Generator<Change<Operation>> {
  yield { title: 'number', value: { ...row, number: number + 1 } };
  yield { title: 'purpose', value: { ...row, purpose: `${row.purpose} again` } };
  if (row.query === undefined) {
    const query = z.strictObject({ first: ratingParameter.optional() });
    yield { title: 'a query added', value: { ...row, query } };
  }
}

function* pathChanges(path: string): Generator<Change<string>> {
  const segments = path.split('/');
  for (const [index, segment] of segments.entries()) {
    if (segment === '') continue;
    const renamed = segment.startsWith('{') ? '{otherId}' : `${segment}s`;
    yield { title: `${segment} renamed`, value: segments.with(index, renamed).join('/') };
    yield { title: `${segment} dropped`, value: segments.toSpliced(index, 1).join('/') };
  }
  yield { title: 'with a slash at the end', value: `${path}/` };
}
