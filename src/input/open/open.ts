import { constants, createReadStream, mkdtempSync, openSync, rmSync, type Stats } from 'node:fs';
import { access, readdir, realpath, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { shellWord } from '../../base/shell-word.ts';
import { DiskFile, type InputFile, unreadable } from './input-file.ts';
import { PipedFile } from './piped-file.ts';

export interface InputFiles {
  readonly files: readonly InputFile[];
  /** Lets go of pipes and removes private files; may be called twice. At the latest they are removed when the process exits. */
  close(): Promise<void>;
}

/** What the input is read from besides paths. */
export interface InputSources {
  readonly stdin: NodeJS.ReadableStream;
  readonly stopping: AbortSignal;
  /** Whether the input is read more than once, so that what comes from a pipe has to be kept. */
  readonly isReadAgain?: boolean;
}

/** The most files one command takes. */
const filesMaximum = 10_000;

/**
 * Opens every path, `-` for standard input. What comes from a pipe or a device is not waited for before it is read, unless it
 * `isReadAgain`: then it is copied to a file only this user can read, which `close` removes. Throws `unreadable-path` naming path and
 * reason, before anything else is done, `usage` for a file that is named twice, and the reason of `stopping` as soon as it is aborted.
 */
export async function openInput(
  paths: readonly string[],
  { stdin, stopping, isReadAgain = false }: InputSources,
): Promise<InputFiles> {
  if (paths.length > filesMaximum) {
    throw new Failure('usage', `${paths.length} files are more than the ${filesMaximum} one command takes`);
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
        files.push(await DiskFile.open({ shownAs, stopping }, shownAs));
        continue;
      }
      const open = () => (kind === undefined ? stdin : openStream(shownAs, kind));
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

/** A pipe may have no writer yet, or one that stalls: waiting for it must hold no thread, because no process ends before its threads do. */
function openStream(path: string, kind: Stats): NodeJS.ReadableStream {
  if (!kind.isFIFO()) return createReadStream(path);
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/** A file named twice would make each of its records a duplicate of itself. */
async function refuseRepeated(paths: readonly string[]): Promise<void> {
  const known = new Map<string, string>();
  for (const path of paths) {
    // The pipe of a shell has no path of its own.
    const real = await realpath(path).catch(() => path);
    const before = known.get(real);
    known.set(real, path);
    if (before === undefined) continue;
    const what = before === path ? `${path} is given twice` : `${before} and ${path} are the same file`;
    throw new Failure('usage', what, 'name it once', { file: path });
  }
}

/**
 * The folder of private files, made when it is needed. It does not outlive the process, however that exits: what is made in it
 * is made at once, so that nothing can appear after it was removed.
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
    if ((await stat(path)).isDirectory()) {
      throw unreadable(path, 'it is a folder', 'name the files in it');
    }
    await access(path, constants.R_OK);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(path, reasonOf(error), await remedyOf(path, error), error);
  }
}

/** A misspelt name is most likely one of those in its folder. */
async function remedyOf(path: string, error: unknown): Promise<string> {
  if (systemCodeOf(error) !== 'ENOENT') return 'check the path';
  const [folder, name] = [dirname(path), basename(path)];
  const meant = nearestName(name, await readdir(folder).catch(() => []));
  if (meant === undefined) return `to see what is there: ls ${shellWord(folder)}`;
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
