import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm } from 'node:fs/promises';
import { Failure, messageOf } from '../../base/failure.ts';
import { type Charset, charsetNamed } from '../open/charset.ts';
import type { InputFile } from '../open/input-file.ts';
import type { Problem } from '../records/problem.ts';
import type { SourceFormat } from '../records/row-batch.ts';

/**
 * Opens the rejects file at `path` and their reasons at `path`.reasons.ndjson, both under temporary names until
 * `commit`.
 * @throws Failure('usage') if one of them is the input, `unreadable-path` if they cannot be written.
 */
export async function openRejects(path: string, inputs: readonly InputFile[]): Promise<RejectsFile> {
  const reasonsPath = `${path}.reasons.ndjson`;
  for (const target of [path, reasonsPath]) {
    await refuseInput(target, inputs);
  }
  const records = await openPart(path);
  try {
    return new RejectsFile({ records, reasons: await openPart(reasonsPath) });
  } catch (error) {
    await discard(records);
    throw error;
  }
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

interface OpenFiles {
  readonly records: Part;
  readonly reasons: Part;
}

class RejectsFile {
  readonly #files: OpenFiles;
  #form: Form | undefined;

  constructor(files: OpenFiles) {
    this.#files = files;
  }

  get reasonsPath(): string {
    return this.#files.reasons.path;
  }

  /**
   * Appends the rejects of `source`.
   * @throws Failure('input') if its format differs from that of earlier files; `unwritable-path` if the disk fails.
   */
  async add(rejects: readonly RejectedRecord[], source: RejectsSource): Promise<void> {
    const { records, reasons } = this.#files;
    let text = '';
    if (this.#form === undefined) {
      const { file, sourceFormat } = source;
      this.#form = { ...source, charset: await charsetNamed(file.encoding) };
      if (sourceFormat.hasByteOrderMark) await append(records, this.#form.charset.byteOrderMark);
      text = beginningOf(sourceFormat);
    } else {
      refuseOtherForm(this.#form, source);
      if (source.sourceFormat.format === 'json') text = separator;
    }
    const { charset, sourceFormat: form } = this.#form;
    text += rejects.map(({ raw }) => raw).join(form.format === 'json' ? separator : form.lineEnd);
    if (form.format !== 'json') text += form.lineEnd;
    await append(records, charset.encode(text));
    await append(reasons, rejects.map((reject) => `${JSON.stringify(reasonsOf(reject))}\n`).join(''));
  }

  /**
   * Renames both files to their names; without rejects there are none. An existing file is kept if it is the same byte
   * for byte, as after an earlier run of the same command.
   * @throws Failure('usage') for any other existing file, with nothing written; `unwritable-path` if the disk fails.
   */
  async commit(): Promise<void> {
    if (this.#form === undefined) return;
    const { records, reasons } = this.#files;
    const { charset, sourceFormat } = this.#form;
    if (sourceFormat.format === 'json')
      await append(records, charset.encode(`${sourceFormat.lineEnd}]${sourceFormat.lineEnd}`));
    const missing: Part[] = [];
    // The records may be corrected, so a refusal names them rather than their reasons.
    for (const file of [records, reasons]) {
      await onDisk(file, () => file.handle.sync());
      if (!(await isThere(file))) missing.unshift(file);
    }
    for (const file of missing) await onDisk(file, () => rename(file.part, file.path));
  }

  /** Removes uncommitted files. */
  async close(): Promise<void> {
    const { records, reasons } = this.#files;
    await discard(records);
    await discard(reasons);
  }
}

/** The format of the rejects: that of the first file with rejects. */
interface Form extends RejectsSource {
  readonly charset: Charset;
}

/** Between the objects of a JSON array. */
const separator = ',\n';

function beginningOf({ format, header, lineEnd }: SourceFormat): string {
  return format === 'json' ? `[${lineEnd}` : header;
}

function reasonsOf({ file, line, originId, problems }: RejectedRecord): object {
  const reasons = problems.map(({ column, value, code, reason, remedy }) => ({
    column,
    value,
    code,
    reason,
    remedy,
  }));
  return { file, line, originId, problems: reasons };
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
    ['header', linesOf(sourceFormat)],
  ];
}

/** The rows up to the header, with normalized line ends. */
function linesOf({ header, lineEnd }: SourceFormat): string {
  return header.replaceAll(lineEnd, '\n');
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

/** Removes the temporary file if it was not renamed. */
async function discard({ handle, part }: Part): Promise<void> {
  await handle.close();
  await rm(part, { force: true });
}
