import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { Failure, messageOf, systemCodeOf } from '../base/failure.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import { locInWords } from '../contract/validation-error.ts';
import { repeatedKeyIn } from '../input/repeated-key.ts';
import { type BodyField, bodyOfFlags, exactDigits, typedName } from './body-flags.ts';
import type { Invocation } from './command.ts';
import { type FlagSet, valueFlag } from './flags.ts';
import { standardInput } from './standard-input.ts';

/** The way to a value inside a body; entries of lists count from 0. */
type Path = readonly (string | number)[];

/** A body as it was given, and how its values are named to the person who gave it. */
export interface GivenBody {
  readonly value: unknown;
  /** `usage` where it was typed, `input` where it came from a file or a pipe. */
  readonly kind: 'usage' | 'input';
  nameOf(path: Path): string;
}

/** A body that a command makes itself. */
export function typedBody(value: unknown): GivenBody {
  return { value, kind: 'usage', nameOf: (path) => path.join('.') };
}

/** The text under `name` in a body, empty where there is none. */
export function textIn(body: GivenBody | undefined, name: string): string {
  const text = isJsonObject(body?.value) ? body.value[name] : undefined;
  return typeof text === 'string' ? text : '';
}

/** The flag that takes a whole body. */
export const bodyFlag = {
  ...valueFlag(z.string().optional(), {
    value: '@FILE|-|JSON',
    help: 'the whole body as JSON: from a file, from standard input, or as it stands',
  }),
  group: 'Fields',
  isContent: true,
};

/** The most a body may have, in bytes; a hundred entries of a bulk creation stay far below. */
const bodyBytesMaximum = 10 * 1024 * 1024;

/**
 * The body from `--body`, or from the flags of its fields.
 * @throws Failure('usage') for both at once; as `readBody`.
 */
export async function bodyFromFlags(
  fields: readonly BodyField[],
  flags: Readonly<Record<string, unknown>>,
  invocation: Invocation<FlagSet>,
): Promise<GivenBody> {
  const value = bodyOfFlags(fields, flags);
  const typed = fields.find(({ flag }) => flags[flag] !== undefined);
  const whole = flags['body'];
  if (typeof whole !== 'string') return { value, kind: 'usage', nameOf: (path) => flagAt(fields, path) };
  if (typed === undefined) return readBody(whole, invocation);
  throw new Failure(
    'usage',
    `--body is the whole body, so ${typedName(typed)} cannot stand beside it`,
    'give the fields as flags, or all of them in --body',
  );
}

/** `['items', 0, 'status']` as `--items entry 1 status`. */
function flagAt(fields: readonly BodyField[], path: Path): string {
  const named = fields.find((field) => field.path.split('.').every((name, at) => path[at] === name));
  if (named === undefined) return path.join('.');
  const rest = path.slice(named.path.split('.').length);
  return rest.length === 0 ? typedName(named) : `${typedName(named)} ${locInWords(['', ...rest]).trim()}`;
}

/**
 * The body `--body` stands for: `@FILE`, `-` for standard input, or JSON itself.
 * @throws Failure('usage') or Failure('input') for what is no JSON, has a key twice or a number that JSON cannot carry;
 *   Failure('unreadable-path') for a file that cannot be read; the reason of the interruption while it is read.
 */
export async function readBody(written: string, invocation: Invocation<FlagSet>): Promise<GivenBody> {
  const isInline = /^\s*[[{]/.test(written);
  const place = isInline ? '--body' : written.replace(/^@/, '');
  const kind = isInline ? 'usage' : 'input';
  if (!isInline && written !== '-' && !/^@./s.test(written)) {
    throw new Failure(
      'usage',
      `--body: '${written}' is no JSON`,
      'write --body @FILE, --body - or --body \'{"…":…}\'',
    );
  }
  const text = isInline ? written : await readText(place, invocation);
  const nameOf = (path: Path) => `${place}: ${locInWords(['', ...path]).trim()}`;
  return { value: parseBody(text, place, kind), kind, nameOf };
}

async function readText(place: string, invocation: Invocation<FlagSet>): Promise<string> {
  const { cwd, stopping } = invocation.context;
  const source =
    place === '-' ? standardInput(invocation, 'the body') : createReadStream(resolve(cwd, place));
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
    'records in files are sent by the push commands',
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
      `${place} is no JSON: ${messageOf(error).replaceAll(/\s+/g, ' ')}`,
      'correct it; nothing was sent',
    );
  }
  const repeated = repeatedKeyIn(text, value);
  if (repeated !== undefined) {
    throw new Failure(kind, `${place} gives '${repeated}' twice`, 'leave one of the two; nothing was sent');
  }
  if (rounded === undefined) return value;
  throw new Failure(
    kind,
    `${place}: '${rounded}' is a number of more than ${exactDigits} digits, which JSON rounds`,
    'ids are texts, in quotes; nothing was sent',
  );
}

function mayBeRounded(number: number): boolean {
  const [digits = ''] = String(number).split('e');
  return !Number.isFinite(number) || digits.replace(/\D/g, '').length > exactDigits;
}
