import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm } from 'node:fs/promises';
import { Failure, messageOf } from '../../base/failure.ts';
import { type Charset, charsetNamed, encodable } from '../open/charset.ts';
import type { InputFile } from '../open/input-file.ts';
import type { Problem } from '../records/problem.ts';
import type { SourceFormat } from '../records/row-batch.ts';
import { headWithReasons, recordWithReasons } from './reason-column.ts';

/**
 * Opens the rejects file at `path`, under a temporary name until `commit`.
 * @throws Failure('usage') if it is the input, `unreadable-path` if it cannot be written.
 */
export async function openRejects(path: string, inputs: readonly InputFile[]): Promise<RejectsFile> {
  await refuseInput(path, inputs);
  return new RejectsFile(await openPart(path));
}

/** A file of the input and its format. */
export interface RejectsSource {
  readonly file: InputFile;
  readonly sourceFormat: SourceFormat;
}

/** A skipped record: its position, its originId (valid or not), its problems and its text. */
export interface RejectedRecord {
  readonly file: string;
  readonly line: number;
  readonly originId: string | undefined;
  readonly problems: readonly Problem[];
  readonly raw: string;
}

/** A file that is written as `part` and renamed to `path` once it is complete. */
interface Part {
  readonly path: string;
  readonly part: string;
  readonly handle: FileHandle;
}

class RejectsFile {
  readonly #part: Part;
  #form: Form | undefined;

  constructor(part: Part) {
    this.#part = part;
  }

  /**
   * Appends the rejects of `source`, each with its reasons.
   * @throws Failure('input') if its format differs from that of earlier files; `unwritable-path` if the disk fails.
   */
  async add(rejects: readonly RejectedRecord[], source: RejectsSource): Promise<void> {
    let text = '';
    if (this.#form === undefined) {
      const { file, sourceFormat } = source;
      this.#form = { ...source, charset: await charsetNamed(file.encoding) };
      if (sourceFormat.hasByteOrderMark) await append(this.#part, this.#form.charset.byteOrderMark);
      text = beginningOf(sourceFormat);
    } else {
      refuseOtherForm(this.#form, source);
      if (source.sourceFormat.format === 'json') text = separator;
    }
    const { charset, sourceFormat: form } = this.#form;
    const records = rejects.map(({ raw, problems }) =>
      recordWithReasons(raw, problems, source.sourceFormat, (reasons) => encodable(reasons, charset)),
    );
    text += records.join(form.format === 'json' ? separator : form.lineEnd);
    if (form.format !== 'json') text += form.lineEnd;
    await append(this.#part, charset.encode(text));
  }

  /**
   * Renames the file to its name; without rejects there is none. An existing file is kept if it is the same byte for
   * byte, as after an earlier run of the same command.
   * @throws Failure('usage') for any other existing file, with nothing written; `unwritable-path` if the disk fails.
   */
  async commit(): Promise<void> {
    if (this.#form === undefined) return;
    const { charset, sourceFormat } = this.#form;
    const { lineEnd } = sourceFormat;
    if (sourceFormat.format === 'json') await append(this.#part, charset.encode(`${lineEnd}]${lineEnd}`));
    const { path, part, handle } = this.#part;
    await onDisk(this.#part, () => handle.sync());
    if (!(await isThere(this.#part))) await onDisk(this.#part, () => rename(part, path));
  }

  /** Removes the file if it was not committed. */
  async close(): Promise<void> {
    const { handle, part } = this.#part;
    await handle.close();
    await rm(part, { force: true });
  }
}

/** The format of the rejects: that of the first file with rejects. */
interface Form extends RejectsSource {
  readonly charset: Charset;
}

/** Between the objects of a JSON array. */
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
    `${shownAs} has another ${differs[0]} than ${first.file.shownAs}, so their rejects cannot be written to one file`,
    'push the two files one after the other, each with a --rejects of its own',
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

/** Whether the file exists with the same content. A different one may be the corrected rejects of an earlier push. */
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

/** Opens a file with a unique name, so that no other file is overwritten or removed. */
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

/** @throws Failure('unwritable-path') where the disk of `path` fails. */
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
