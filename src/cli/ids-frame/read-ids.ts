import { createInterface } from 'node:readline';
import { Failure } from '../../base/failure.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { Invocation } from '../command.ts';
import type { FlagSet } from '../flags/flags.ts';
import { standardInput } from '../standard-input.ts';

/** The most ids one command takes. */
const idsMaximum = 100_000;

/**
 * The ids of the arguments; `-` stands for those on standard input, one a line: bare, or as an object of NDJSON, whose `field` is
 * the id.
 * @throws Failure('usage') for a line that holds no id, and for more ids than one command takes; the reason of an interruption
 *   while standard input is read.
 */
export async function readIds(
  args: readonly string[],
  field: string,
  invocation: Pick<Invocation<FlagSet>, 'context' | 'notices' | 'sources'>,
): Promise<readonly string[]> {
  const ids = args.filter((arg) => arg !== '-');
  if (!args.includes('-')) return ids;
  const { stopping } = invocation.context;
  const input = standardInput(invocation, 'the ids');
  return [...ids, ...(await readIdLines(input, [field], { shownAs: '-', stopping }))];
}

/**
 * The ids in a text, one a line: bare, or as an object of NDJSON, where the first of `fields` it has is the id.
 * @throws as `readIds`.
 */
export async function readIdLines(
  input: NodeJS.ReadableStream,
  fields: readonly string[],
  { shownAs, stopping }: { readonly shownAs: string; readonly stopping: AbortSignal },
): Promise<string[]> {
  const ids: string[] = [];
  let number = 0;
  for await (const line of createInterface({
    input,
    crlfDelay: Number.POSITIVE_INFINITY,
    signal: stopping,
  })) {
    number += 1;
    const text = (number === 1 ? line.replace(/^\ufeff/, '') : line).trim();
    if (text === '') continue;
    ids.push(idOf(text, fields, `${shownAs}:${number}`));
    if (ids.length > idsMaximum)
      throw new Failure('usage', `more than ${idsMaximum} ids`, 'give them in several calls');
  }
  // An interrupted line reader ends as if there were nothing more to read.
  stopping.throwIfAborted();
  return ids;
}

function idOf(line: string, fields: readonly string[], place: string): string {
  if (!line.startsWith('{') && line !== '[') return line;
  let record: Json;
  try {
    record = JSON.parse(line);
  } catch {
    record = null;
  }
  const id = isJsonObject(record) ? fields.map((field) => record[field]).find(isFilledText) : undefined;
  if (id !== undefined) return id;
  const hint = 'give one id a line or NDJSON, as lists print it with -o ids or -o ndjson';
  throw new Failure('usage', `${place}: no object with a text '${fields.join("' or '")}'`, hint);
}

function isFilledText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
