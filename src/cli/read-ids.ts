import { createInterface } from 'node:readline';
import { Failure } from '../base/failure.ts';
import { isJsonObject, type Json } from '../base/json.ts';

/** The most ids one command takes. */
const idsMaximum = 100_000;

/**
 * The ids of the arguments; `-` stands for those on standard input, one a line: bare, or as an object of NDJSON, whose `field` is
 * the id.
 * @throws Failure('usage') for a line that holds no id, and for more ids than one command takes.
 */
export async function readIds(
  args: readonly string[],
  field: string,
  stdin: NodeJS.ReadableStream,
): Promise<readonly string[]> {
  const ids = args.filter((arg) => arg !== '-');
  if (!args.includes('-')) return ids;
  let number = 0;
  for await (const line of createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() === '') continue;
    ids.push(idOf(line.trim(), field, number));
    if (ids.length > idsMaximum)
      throw new Failure('usage', `more than ${idsMaximum} ids`, 'give them in several calls');
  }
  return ids;
}

function idOf(line: string, field: string, number: number): string {
  if (!line.startsWith('{')) return line;
  let record: Json;
  try {
    record = JSON.parse(line);
  } catch {
    record = null;
  }
  const id = isJsonObject(record) ? record[field] : undefined;
  if (typeof id === 'string') return id;
  throw new Failure('usage', `-:${number}: no object with a text '${field}'`, 'one id a line, or NDJSON');
}
