import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { type InputFiles, type InputSources, openInput } from '../../src/input/open/open.ts';
import type { InputOptions } from '../../src/input/records/options.ts';
import type { Entry, Identified, RecordKind } from '../../src/input/records/record-kinds.ts';
import { Rejects } from '../../src/input/rejects/rejects.ts';
import type { RejectedRecord } from '../../src/input/rejects/rejects-file.ts';
import { type KeptRecords, type Validation, validateInput } from '../../src/input/validate.ts';

export interface Reading<T> extends Validation {
  readonly entries: readonly Entry<T>[];
  readonly records: readonly T[];
  /** The `originId` of each record. */
  readonly ids: readonly (string | undefined)[];
}

/** Files by name. A content without a name is that of a file named `input`. */
export type Files = Readonly<Record<string, string | Uint8Array>> | string | Uint8Array;

/** Runs `work` with the paths of `files`, in order, and their temporary folder. */
export async function withFiles<R>(
  files: Files,
  work: (paths: string[], folder: string) => Promise<R>,
): Promise<R> {
  const folder = await mkdtemp(join(tmpdir(), 'reviewctl-test-'));
  try {
    const named = typeof files === 'string' || files instanceof Uint8Array ? { input: files } : files;
    for (const [name, content] of Object.entries(named)) await writeFile(join(folder, name), content);
    return await work(
      Object.keys(named).map((name) => join(folder, name)),
      folder,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const plainOptions: InputOptions = { map: [], set: [], timeZone: '+09:00' };

/** The sources for `openInput`: by default an empty standard input and a signal that is never aborted. */
export function surroundings({
  stdin = Readable.from([]),
  stopping = new AbortController().signal,
}: Partial<InputSources> = {}): InputSources {
  return { stdin, stopping };
}

/** Keeps records in memory. */
export class HeldRecords<T> implements KeptRecords<T> {
  readonly all: Entry<T>[] = [];

  add(entries: readonly Entry<T>[]): void {
    this.all.push(...entries);
  }
}

/** Validates `input` and writes its rejects to `path`. Valid records go to `held`. */
export async function writeRejects<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  path: string,
  held = new HeldRecords<T>(),
): Promise<readonly RejectedRecord[]> {
  const rejects = new Rejects(tmpdir());
  await validateInput(input, kind, options, held, rejects);
  await rejects.write(path, input);
  const records: RejectedRecord[] = [];
  for await (const batch of rejects.records()) records.push(...batch);
  return records;
}

/** Removes the reasons from the text of rejects. They must be the last column or field of each record. */
export function withoutReasons(text: string, records: readonly RejectedRecord[]): string {
  let plain = text.replace(/[,;\t|]reviewctl-reason(?=[\r\n])/, '');
  let from = 0;
  for (const { raw } of records) {
    const row = raw.replace(/\s*\}$/, '');
    from = plain.indexOf(row, from) + row.length;
    const field = /^(?:[,;\t|][^"\r\n]+|,"reviewctl-reason":"(?:[^"\\]|\\.)+")/;
    const [reason = ''] = field.exec(plain.slice(from)) ?? [];
    // Lines that are not objects have no fields.
    if (!/^(?:no json|\[1\]|7)$/.test(raw)) expect(reason).not.toBe('');
    plain = plain.slice(0, from) + plain.slice(from + reason.length);
  }
  return plain;
}

/** Validates `files` and returns the valid records as they are sent. Paths in the result are mere file names. */
export function read<T extends Identified>(
  kind: RecordKind<T>,
  files: Files,
  options: Partial<InputOptions> = {},
): Promise<Reading<T>> {
  return withFiles(files, async (paths) => {
    const input = await openInput(paths, surroundings());
    try {
      const settings = { ...plainOptions, ...options };
      const held = new HeldRecords<T>();
      const validation = await validateInput(input, kind, settings, held);
      const entries = held.all.map((entry) => ({ ...entry, file: fileName(entry.file) }));
      const problems = validation.problems.map((problem) => ({
        ...problem,
        file: fileName(problem.file),
        remedy: String(problem.remedy),
      }));
      const records = entries.map(({ record }) => record);
      return { ...validation, problems, entries, records, ids: records.map(({ originId }) => originId) };
    } finally {
      await input.close();
    }
  });
}

function fileName(path: string): string {
  return path.split('/').at(-1) ?? path;
}

/** The valid records of a content. */
export async function recordsOf<T extends Identified>(
  kind: RecordKind<T>,
  content: string | Uint8Array,
  options: Partial<InputOptions> = {},
): Promise<readonly T[]> {
  const { records, problems } = await read(kind, content, options);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return records;
}

/** The members of all groups, each with the name of its group. */
export function ungrouped<Name extends string, T>(groups: Readonly<Record<Name, readonly T[]>>) {
  return Object.entries<readonly T[]>(groups).flatMap(([name, members]) =>
    members.map((member) => [name as Name, member] as const),
  );
}
