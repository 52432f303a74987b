import { constants, createReadStream, mkdtempSync, rmSync, type Stats } from 'node:fs';
import { access, readdir, realpath, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, parse } from 'node:path';
import process from 'node:process';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { givenDescriptor, isGivenOpen, nonFileInWords } from '../../base/regular-file.ts';
import { shellWord } from '../../base/shell-word.ts';
import { DiskFile, type InputFile, unreadable } from './input-file.ts';
import { PipedFile } from './piped-file.ts';

export interface InputFiles {
  readonly files: readonly InputFile[];
  /** Closes pipes and removes private files. May be called twice. An exit of the process also removes the files. */
  close(): Promise<void>;
}

/** Standard input, and how the input is read. */
export interface InputSources {
  readonly stdin: NodeJS.ReadableStream;
  readonly stopping: AbortSignal;
  /** True if the input is read more than once, so that pipes have to be copied. */
  readonly isReadAgain?: boolean;
}

/** Maximum number of files that one command accepts. */
const filesMaximum = 10_000;

/**
 * Opens every path; `-` is standard input. Pipes and devices are not read yet. If the input `isReadAgain`, however,
 * they are copied to private files, which `close` removes.
 * @throws Failure('unreadable-path') with path and reason before anything else is done, Failure('usage') if a file is
 * named twice, and the reason of `stopping` once it is aborted.
 */
export async function openInput(
  paths: readonly string[],
  { stdin, stopping, isReadAgain = false }: InputSources,
): Promise<InputFiles> {
  if (paths.length > filesMaximum) {
    throw new Failure(
      'usage',
      `${paths.length} files are too many; one command accepts at most ${filesMaximum}`,
    );
  }
  for (const path of paths) await checkReadable(path);
  await refuseRepeated(paths);

  const folder = new PrivateFolder();
  const pipes: PipedFile[] = [];
  const close = async () => {
    for (const pipe of pipes) pipe.close();
    folder.remove();
  };
  try {
    const files: InputFile[] = [];
    for (const shownAs of paths) {
      const kind = shownAs === '-' ? undefined : await stat(shownAs);
      if (kind?.isFile()) {
        files.push(new DiskFile({ shownAs, stopping }, shownAs, kind));
        continue;
      }
      const isStdin = kind === undefined || givenDescriptor(shownAs) === 0;
      const open = () => (isStdin ? stdin : openGiven(shownAs, kind));
      const pipe = new PipedFile({ shownAs, stopping, open, pathOfCopy: folder.newPath });
      pipes.push(pipe);
      files.push(isReadAgain ? await pipe.onDisk() : pipe);
    }
    return { files, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens a pipe or device other than standard input. An inherited descriptor is used as it is: reopening a FIFO would
 * block until a new writer connects.
 */
function openGiven(path: string, kind: Stats): NodeJS.ReadableStream {
  const fd = kind.isFIFO() || kind.isSocket() ? givenDescriptor(path) : undefined;
  return fd === undefined ? createReadStream(path) : new Socket({ fd, readable: true, writable: false });
}

/** Refuses a file that is named twice, because all of its records would be duplicates. */
async function refuseRepeated(paths: readonly string[]): Promise<void> {
  const known = new Map<string, string>();
  for (const path of paths) {
    // A pipe of the shell has no real path.
    const real = await realpath(path).catch(() => path);
    const before = known.get(real);
    known.set(real, path);
    if (before === undefined) continue;
    const what = before === path ? `${path} is given twice` : `${before} and ${path} are the same file`;
    throw new Failure('usage', what, 'name it once', { file: path });
  }
}

/**
 * The folder of private files, created on demand and removed when the process exits. Its files are created
 * synchronously, so that none can appear after the removal.
 */
class PrivateFolder {
  #path: string | undefined;
  #count = 0;

  readonly newPath = (): string => {
    if (this.#path === undefined) {
      this.#path = mkdtempSync(join(tmpdir(), 'reviewctl-input-'));
      process.once('exit', this.remove);
    }
    this.#count += 1;
    return join(this.#path, String(this.#count));
  };

  readonly remove = (): void => {
    process.off('exit', this.remove);
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
  };
}

async function checkReadable(path: string): Promise<void> {
  if (path === '-') return;
  try {
    const what = isGivenOpen(path) ? undefined : nonFileInWords(await stat(path));
    if (what === 'a folder') throw unreadable(path, 'it is a folder', 'name the files in it');
    if (what !== undefined) {
      const isPipe = what === 'a named pipe';
      const remedy = isPipe
        ? `read it as standard input: - < ${shellWord(path)}`
        : 'name a file, or - for standard input';
      throw unreadable(path, `it is ${what}, not a file`, remedy);
    }
    await access(path, constants.R_OK);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(path, reasonOf(error), await remedyOf(path, error), error);
  }
}

/** Proposes a similar name in the same folder, or how to list the folder. */
async function remedyOf(path: string, error: unknown): Promise<string> {
  if (systemCodeOf(error) !== 'ENOENT') return 'check the path';
  const [folder, name] = [dirname(path), basename(path)];
  const files = await readdir(folder).catch(() => []);
  // The ending alone makes no file similar, but decides between similar ones.
  const withoutEnding = (file: string) => parse(file).name.toLowerCase();
  const similar = (among: readonly string[]) => nearestName(name, among, withoutEnding);
  const nearest = nearestName(name, files);
  const meant = (nearest && similar([nearest])) ?? similar(files);
  if (meant === undefined) return `to list the folder: ls ${shellWord(folder)}`;
  return `did you mean ${shellWord(path.slice(0, path.lastIndexOf(name)) + meant)}?`;
}

function reasonOf(error: unknown): string {
  switch (systemCodeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file';
    case 'EACCES':
    case 'EPERM':
      return 'access is denied';
    default:
      return messageOf(error);
  }
}
