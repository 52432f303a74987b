import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { lastOfDay, zonedTime } from '../../../base/korean-time.ts';
import {
  type Operation,
  type OperationName,
  operations,
  pathParameters,
} from '../../../contract/operations.ts';
import { faultInWords } from '../../flags/flags.ts';
import { checkRanges, parametersOf } from '../../flags/query-flags.ts';
import { suggestion } from '../../runtime/suggestion.ts';
import type { OperationCall } from './call-failure.ts';

/** Values by name, in the order of the names. */
type Pairs = ReadonlyMap<string, readonly string[]>;

/**
 * Path parameters and query of an operation, from typed `NAME=VALUE`. Times without a zone are in `timeZone`.
 * @throws Failure('usage') for one that is missing, unknown or invalid according to the document.
 */
export function readParameters(
  name: OperationName,
  { param, query }: { readonly param: readonly string[]; readonly query: readonly string[] },
  timeZone: string,
): Required<Pick<OperationCall, 'params' | 'query'>> {
  const row: Operation = operations[name];
  return {
    params: readParams(name, row, pairsOf('--param', param)),
    query: readQuery(name, row, pairsOf('--query', query), timeZone),
  };
}

function pairsOf(flag: string, written: readonly string[]): Pairs {
  const pairs = new Map<string, readonly string[]>();
  for (const text of written) {
    const at = text.indexOf('=');
    if (at < 1)
      throw new Failure('usage', `${flag}: '${text}' is not NAME=VALUE`, `write it as ${flag} name=value`);
    const name = text.slice(0, at);
    pairs.set(name, [...(pairs.get(name) ?? []), text.slice(at + 1)]);
  }
  return pairs;
}

function readParams(operation: string, { path }: Operation, pairs: Pairs): Readonly<Record<string, string>> {
  const names = pathParameters(path);
  const missing = names.filter((name) => !pairs.has(name));
  if (missing.length > 0) {
    const written = missing.map((name) => `--param ${name}=…`).join(' ');
    throw new Failure('usage', `${operation} needs ${written}`, `its path is ${path}`, { operation });
  }
  return Object.fromEntries(
    [...pairs].map(([name, values]) => {
      if (!names.includes(name)) throw unknownName(operation, 'path parameter', name, names);
      return [name, single('--param', name, values)];
    }),
  );
}

/** Decodes query values from text by the contract. Its defaults are the service's, so none is sent. */
function readQuery(
  operation: string,
  { query }: Operation,
  pairs: Pairs,
  timeZone: string,
): Readonly<Record<string, unknown>> {
  const shape: z.core.$ZodShape = query?.shape ?? {};
  const parameters = query === undefined ? {} : parametersOf(query);
  const read = Object.fromEntries(
    [...pairs].map(([name, values]) => {
      const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (schema === undefined) throw unknownName(operation, 'query parameter', name, Object.keys(shape));
      const type = parameters[name]?.kind.type;
      const isList = type === 'list';
      const text = isList ? '' : single('--query', name, values);
      // A date means its first moment, or its last one at the end of a range.
      const lastMoment = name.endsWith('End') ? lastOfDay : undefined;
      const written = type === 'time' ? zonedTime(text, timeZone, lastMoment) : text;
      const read = z.safeDecode(schema, isList ? values : written, { reportInput: true });
      if (read.success) return [name, read.data];
      throw new Failure(
        'usage',
        `--query ${name}: ${faultInWords(read.error, values.join(','))}`,
        isList ? 'repeat --query for each element' : 'correct it; nothing was sent',
        { operation },
      );
    }),
  );
  checkRanges(read, (name) => `--query ${name}=`);
  return read;
}

function single(flag: string, name: string, values: readonly string[]): string {
  const [value = '', ...others] = values;
  if (others.length === 0) return value;
  throw new Failure(
    'usage',
    `${flag} ${name} is given ${values.length} times`,
    'only list elements can be repeated',
  );
}

function unknownName(operation: string, what: string, name: string, known: readonly string[]): Failure {
  const all = known.length === 0 ? `${operation} takes none` : `${operation} takes: ${known.join(', ')}`;
  return new Failure('usage', `${operation} has no ${what} '${name}'`, suggestion(name, known) + all, {
    operation,
  });
}
