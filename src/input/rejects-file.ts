import { type FileHandle, open, realpath, rename, rm } from 'node:fs/promises';
import { Failure, messageOf } from '../base/failure.ts';
import { type Charset, charsetNamed } from './charset.ts';
import type { Reject } from './check.ts';
import type { InputFile } from './open.ts';
import type { Writing } from './place.ts';

/**
 * Opens the file of rejects at `path` and the one of their reasons at `path`.reasons.ndjson, both under other names until
 * `commit`. Throws `usage` where one of them is a file of the input, `unreadable-path` where they cannot be written.
 */
export async function openRejects(path: string, inputs: readonly InputFile[]): Promise<RejectsFile> {
  const reasonsPath = `${path}.reasons.ndjson`;
  for (const target of [path, reasonsPath]) await refuseInput(target, inputs);
  const records = await openPart(path);
  try {
    return new RejectsFile({ path, reasonsPath, records, reasons: await openPart(reasonsPath) });
  } catch (error) {
    await records.close();
    await rm(partOf(path), { force: true });
    throw error;
  }
}

interface OpenFiles {
  readonly path: string;
  readonly reasonsPath: string;
  readonly records: FileHandle;
  readonly reasons: FileHandle;
}

export class RejectsFile {
  readonly #files: OpenFiles;
  #form: Form | undefined;

  constructor(files: OpenFiles) {
    this.#files = files;
  }

  get reasonsPath(): string {
    return this.#files.reasonsPath;
  }

  /** Appends what was left out of `source`. Throws `input` where `source` is written in another way than the files before. */
  async add(rejects: readonly Reject[], source: InputFile, writing: Writing): Promise<void> {
    const { records, reasons } = this.#files;
    let text = '';
    if (this.#form === undefined) {
      this.#form = { writing, source, charset: await charsetNamed(writing.encoding) };
      if (writing.isMarked) await records.appendFile(this.#form.charset.mark);
      text = beginningOf(writing);
    } else {
      refuseOtherForm(this.#form, writing, source);
      if (writing.format === 'json') text = separator;
    }
    const { charset, writing: form } = this.#form;
    text += rejects.map(({ raw }) => raw).join(form.format === 'json' ? separator : form.lineEnd);
    if (form.format !== 'json') text += form.lineEnd;
    await records.appendFile(charset.encode(text));
    await reasons.appendFile(
      rejects.map((reject) => `${JSON.stringify(reasonsOf(reject, source))}\n`).join(''),
    );
  }

  /** Gives both files their names; without any rejects there are none. */
  async commit(): Promise<void> {
    if (this.#form === undefined) return;
    const { path, reasonsPath, records, reasons } = this.#files;
    const { charset, writing } = this.#form;
    if (writing.format === 'json')
      await records.appendFile(charset.encode(`${writing.lineEnd}]${writing.lineEnd}`));
    await records.sync();
    await reasons.sync();
    await rename(partOf(reasonsPath), reasonsPath);
    await rename(partOf(path), path);
  }

  /** Removes what was not committed. */
  async close(): Promise<void> {
    const { path, reasonsPath, records, reasons } = this.#files;
    await records.close();
    await reasons.close();
    await rm(partOf(path), { force: true });
    await rm(partOf(reasonsPath), { force: true });
  }
}

/** How the rejects are written: as the first file with any of them. */
interface Form {
  readonly writing: Writing;
  readonly source: InputFile;
  readonly charset: Charset;
}

/** Between the objects of a JSON array. */
const separator = ',\n';

function beginningOf({ format, header, lineEnd }: Writing): string {
  return format === 'json' ? `[${lineEnd}` : header;
}

function reasonsOf({ line, originId, problems }: Reject, { shownAs: file }: InputFile): object {
  const reasons = problems.map(({ column, value, code, reason, remedy }) => ({
    column,
    value,
    code,
    reason,
    remedy,
  }));
  return { file, line, originId, problems: reasons };
}

function refuseOtherForm({ writing: first, source }: Form, other: Writing, otherSource: InputFile): void {
  const parts = ['format', 'encoding', 'delimiter'] as const;
  const isOtherHeader = linesOf(first) !== linesOf(other);
  const differs = parts.find((part) => first[part] !== other[part]) ?? (isOtherHeader ? 'header' : undefined);
  if (differs === undefined) return;
  throw new Failure(
    'input',
    `${otherSource.shownAs} has another ${differs} than ${source.shownAs}, so their rejects cannot stand in one file`,
    'push the two files one after the other, each with a --rejects of its own',
    { file: otherSource.shownAs },
  );
}

/** The rows up to the header, whichever way their lines end. */
function linesOf({ header, lineEnd }: Writing): string {
  return header.replaceAll(lineEnd, '\n');
}

async function refuseInput(target: string, inputs: readonly InputFile[]): Promise<void> {
  const real = await realpath(target).catch(() => undefined);
  if (real === undefined) return;
  for (const { path, shownAs } of inputs) {
    if ((await realpath(path)) !== real) continue;
    throw new Failure('usage', `--rejects ${target} is the input ${shownAs}`, 'name another file', {
      file: target,
    });
  }
}

function partOf(path: string): string {
  return `${path}.part`;
}

async function openPart(path: string): Promise<FileHandle> {
  try {
    await rm(partOf(path), { force: true });
    return await open(partOf(path), 'wx', 0o600);
  } catch (error) {
    const hint = 'name a file in an existing folder you may write to';
    throw new Failure('unreadable-path', `cannot write ${path}: ${messageOf(error)}`, hint, {
      file: path,
      cause: error,
    });
  }
}
