import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm } from 'node:fs/promises';
import { Failure, messageOf } from '../../base/failure.ts';
import type { RejectedRow } from '../checks/findings.ts';
import { type Charset, charsetNamed, encodable } from '../open/charset.ts';
import type { InputFile } from '../open/input-file.ts';
import type { SourceFormat } from '../records/row-batch.ts';
import { headWithReasons, recordWithReasons } from './reason-column.ts';

/** A file of the input and its notation. */
export interface RejectsSource {
  readonly file: InputFile;
  readonly sourceFormat: SourceFormat;
}

/** A skipped record: its position, its originId (valid or not), its problems and its text. */
export interface RejectedRecord extends Omit<RejectedRow, 'isOrphan'> {
  readonly file: string;
}

/** A file that is written to `part` and renamed to `path` when it is complete. */
interface Part {
  readonly path: string;
  readonly part: string;
  readonly handle: FileHandle;
}

/** The notation of the rejects: that of the first file with rejects. */
interface Form extends RejectsSource {
  readonly charset: Charset;
}

/**
 * Writes rejects to `path`, under a temporary name until they are complete. Without rejects, no file is created. An
 * existing file is kept if it is identical byte for byte, as after an earlier run of the same command.
 * @throws Failure('usage') if `path` is the input or another existing file, Failure('unreadable-path') if it cannot be
 * created, Failure('input') if the formats of the files differ, Failure('unwritable-path') if the disk fails.
 */
export async function writeRejects(
  path: string,
  inputs: readonly InputFile[],
  batches: AsyncIterable<readonly [rejects: readonly RejectedRecord[], source: RejectsSource]>,
): Promise<void> {
  await refuseInput(path, inputs);
  const file = await openPart(path);
  try {
    let form: Form | undefined;
    for await (const [rejects, source] of batches) {
      const { charset, sourceFormat } = form ?? {
        ...source,
        charset: await charsetNamed(source.file.encoding),
      };
      const isJson = sourceFormat.format === 'json';
      if (form !== undefined) refuseOtherForm(form, source);
      else if (sourceFormat.hasByteOrderMark) await append(file, charset.byteOrderMark);
      const beginning = form === undefined ? beginningOf(sourceFormat) : isJson ? separator : '';
      const records = rejects.map(({ raw, problems }) =>
        recordWithReasons(raw, problems, source.sourceFormat, (reasons) => encodable(reasons, charset)),
      );
      const text = records.join(isJson ? separator : sourceFormat.lineEnd);
      await append(file, charset.encode(beginning + text + (isJson ? '' : sourceFormat.lineEnd)));
      form ??= { ...source, charset };
    }
    if (form !== undefined) await complete(file, form);
  } finally {
    await file.handle.close();
    await rm(file.part, { force: true });
  }
}

async function complete(file: Part, { charset, sourceFormat: { format, lineEnd } }: Form): Promise<void> {
  if (format === 'json') await append(file, charset.encode(`${lineEnd}]${lineEnd}`));
  await onDisk(file, () => file.handle.sync());
  if (!(await isThere(file))) await onDisk(file, () => rename(file.part, file.path));
}

/** Separates the objects of a JSON array. */
const separator = ',\n';

function beginningOf(format: SourceFormat): string {
  const { lineEnd } = format;
  if (format.format === 'json') return `[${lineEnd}`;
  return headWithReasons(format)
    .map((row) => row + lineEnd)
    .join('');
}

function refuseOtherForm(first: Form, other: RejectsSource): void {
  const differs = formsOf(first).find(([, form], at) => form !== formsOf(other)[at]?.[1]);
  if (differs === undefined) return;
  const { shownAs } = other.file;
  throw new Failure(
    'input',
    `${shownAs} has a different ${differs[0]} than ${first.file.shownAs}, so their rejects cannot share one file`,
    'push the two files one after the other, each with its own --rejects',
    { file: shownAs },
  );
}

function formsOf({ file, sourceFormat }: RejectsSource): readonly (readonly [name: string, form: string])[] {
  const { format, delimiter } = sourceFormat;
  return [
    ['format', format],
    ['encoding', file.encoding],
    ['delimiter', delimiter],
    ['header', headWithReasons(sourceFormat).join('\n').replaceAll(sourceFormat.lineEnd, '\n')],
  ];
}

async function refuseInput(target: string, inputs: readonly InputFile[]): Promise<void> {
  const real = await realpath(target).catch(() => undefined);
  if (real === undefined) return;
  for (const { shownAs } of inputs) {
    // Standard input has no path.
    if (shownAs === '-' || (await realpath(shownAs).catch(() => undefined)) !== real) continue;
    throw new Failure('usage', `--rejects ${target} is the input ${shownAs}`, 'name another file', {
      file: target,
    });
  }
}

/**
 * True if the file exists with the same content.
 * @throws Failure('usage') if its content differs, since it may be the corrected rejects of an earlier push.
 */
async function isThere({ path, part }: Part): Promise<boolean> {
  const present = await lstat(path).catch(() => undefined);
  if (present === undefined) return false;
  const digest = present.isFile() ? await digestOf(path).catch(() => undefined) : undefined;
  if (digest !== undefined && digest === (await digestOf(part))) return true;
  throw new Failure(
    'usage',
    `--rejects would overwrite ${path}, which exists with different content`,
    'if it contains corrected records, push it separately; for the rejects of this push name a new file',
    { file: path },
  );
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** Opens a file with a unique name, so that other files are neither overwritten nor removed. */
async function openPart(path: string): Promise<Part> {
  const part = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    return { path, part, handle: await open(part, 'wx', 0o600) };
  } catch (error) {
    const hint = 'name a file in an existing folder you may write to';
    throw new Failure('unreadable-path', `cannot write ${path}: ${messageOf(error)}`, hint, {
      file: path,
      cause: error,
    });
  }
}

function append(file: Part, content: string | Uint8Array): Promise<void> {
  return onDisk(file, () => file.handle.appendFile(content));
}

/** @throws Failure('unwritable-path') if the disk of `path` fails. */
async function onDisk({ path }: Part, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Failure(
      'unwritable-path',
      `${path} cannot be written: ${messageOf(error)}; nothing was sent`,
      'free some room on its disk, or name a file on another one with --rejects; then run the same command again',
      { file: path, cause: error },
    );
  }
}
