import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failure, messageOf, systemCodeOf } from '../../../base/failure.ts';
import type { Json } from '../../../base/json.ts';
import { isGivenOpen, nonFileInWords } from '../../../base/regular-file.ts';
import { locInWords } from '../../../contract/validation-error.ts';
import { repeatedKeyIn } from '../../../input/formats/json/object-table.ts';
import type { Invocation } from '../../runtime/command.ts';
import { standardInput } from '../../runtime/standard-input.ts';
import { exactDigits } from './body-flags.ts';
import type { GivenBody } from './given-body.ts';

/** Maximum size of a body, in bytes; a hundred entries of a bulk creation are far smaller. */
const bodyBytesMaximum = 10 * 1024 * 1024;

/**
 * Reads the body of `--body`: `@FILE`, `-` for standard input, or JSON itself.
 * @throws Failure('usage') or Failure('input') for text that is not JSON, has a duplicate key or a number that JSON
 * cannot carry; Failure('unreadable-path') for a file that cannot be read; the reason of an interruption while it is
 * read.
 */
export async function readBody(written: string, invocation: Invocation): Promise<GivenBody> {
  const isInline = /^\s*[[{]/.test(written);
  const place = isInline ? '--body' : written.replace(/^@/, '');
  const kind = isInline ? 'usage' : 'input';
  if (!isInline && written !== '-' && !/^@./s.test(written)) {
    throw new Failure(
      'usage',
      `--body: '${written}' is not JSON`,
      'write --body @FILE, --body - or --body \'{"…":…}\'',
    );
  }
  const text = isInline ? written : await readText(place, invocation);
  const nameOf: GivenBody['nameOf'] = (path) =>
    path.length === 0 ? place : `${place}: ${locInWords(['', ...path]).trim()}`;
  return { value: parseBody(text, place, kind), kind, nameOf };
}

function openFile(place: string, path: string): NodeJS.ReadableStream {
  const stats = isGivenOpen(path) ? undefined : statSync(path, { throwIfNoEntry: false });
  const what = stats && nonFileInWords(stats);
  if (what === undefined) return createReadStream(path);
  throw new Failure(
    'unreadable-path',
    `${place} cannot be read: it is ${what}, not a file`,
    'name a file, or give the body on standard input with --body -',
  );
}

async function readText(place: string, invocation: Invocation): Promise<string> {
  const { cwd, stopping } = invocation.context;
  const pieces: Uint8Array[] = [];
  const collect = async (chunks: AsyncIterable<string | Uint8Array>) => {
    let length = 0;
    for await (const chunk of chunks) {
      const bytes = Buffer.from(chunk as string);
      pieces.push(bytes);
      length += bytes.length;
      if (length > bodyBytesMaximum) throw tooLong(place);
    }
  };
  try {
    const source =
      place === '-' ? standardInput(invocation, 'the body') : openFile(place, resolve(cwd, place));
    await pipeline(source, collect, { signal: stopping });
  } catch (error) {
    stopping.throwIfAborted();
    if (error instanceof Failure) throw error;
    const reason = systemCodeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error);
    throw new Failure('unreadable-path', `${place} cannot be read: ${reason}`, 'check the path');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new Failure('input', `${place} is not UTF-8`, 'save it as UTF-8; nothing was sent');
  }
}

function tooLong(place: string): Failure {
  const most = `${bodyBytesMaximum / 1024 / 1024} MiB`;
  return new Failure(
    'input',
    `${place} is longer than ${most}`,
    'to send records from files, use a push command',
  );
}

function parseBody(text: string, place: string, kind: GivenBody['kind']): Json {
  let rounded: string | undefined;
  let value: Json;
  try {
    value = JSON.parse(text, (name, part: unknown) => {
      if (typeof part === 'number' && mayBeRounded(part)) rounded ??= name;
      return part;
    }) as Json;
  } catch (error) {
    throw new Failure(
      kind,
      `${place} is not JSON: ${messageOf(error).replaceAll(/\s+/g, ' ')}`,
      'correct it; nothing was sent',
    );
  }
  const repeated = repeatedKeyIn(text, value);
  if (repeated !== undefined) {
    throw new Failure(
      kind,
      `${place} has the key '${repeated}' twice`,
      'remove one of the two; nothing was sent',
    );
  }
  if (rounded === undefined) return value;
  throw new Failure(
    kind,
    `${place}: '${rounded}' has more than ${exactDigits} digits, and JSON numbers are rounded`,
    'write ids as text, in quotes; nothing was sent',
  );
}

function mayBeRounded(number: number): boolean {
  const [digits = ''] = String(number).split('e');
  return !Number.isFinite(number) || digits.replace(/\D/g, '').length > exactDigits;
}
