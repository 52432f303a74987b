import { constants, createReadStream, createWriteStream, mkdtempSync, openSync, rmSync } from 'node:fs';
import { access, readdir, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { Failure, messageOf, systemCodeOf } from '../base/failure.ts';
import { nearestName } from '../base/nearest-name.ts';
import { shellWord } from '../base/shell-word.ts';

/** A file that can be read as often as there are questions about it. `shownAs` is the path as typed, `path` where the bytes are. */
export interface InputFile {
  readonly shownAs: string;
  readonly path: string;
  readonly version: FileVersion;
  /** Aborted where the input need not be looked at any more; the passes over it before anything is sent throw its reason. */
  readonly stopping: AbortSignal;
}

/** What tells that a file is still the one that was opened. */
interface FileVersion {
  readonly size: number;
  readonly modifiedMs: number;
  readonly inode: number;
}

export interface InputFiles {
  readonly files: readonly InputFile[];
  /** Removes what was spooled; may be called twice. At the latest it is removed when the process exits. */
  close(): Promise<void>;
}

/** What the input is read from besides paths. */
export interface InputSurroundings {
  readonly stdin: NodeJS.ReadableStream;
  readonly stopping: AbortSignal;
}

/** The most files one command takes. */
const filesMaximum = 10_000;

/**
 * Makes every path readable as often as needed: `-` (standard input), pipes and devices are copied to a file only this user can
 * read, which `close` removes. Throws `unreadable-path` naming path and reason, before anything else is done, `usage` for a
 * file that is named twice, and the reason of `stopping` as soon as it is aborted.
 */
export async function openInput(
  paths: readonly string[],
  { stdin, stopping }: InputSurroundings,
): Promise<InputFiles> {
  if (paths.length > filesMaximum) {
    throw new Failure('usage', `${paths.length} files are more than the ${filesMaximum} one command takes`);
  }
  for (const path of paths) await checkReadable(path);
  await refuseRepeated(paths);

  const spools = new SpoolFolder();
  try {
    const files: InputFile[] = [];
    for (const [index, shownAs] of paths.entries()) {
      let path = shownAs;
      if (shownAs === '-' || !(await stat(shownAs)).isFile()) {
        path = spools.pathOf(index);
        await spool(shownAs === '-' ? stdin : createReadStream(shownAs), { path, shownAs, stopping });
      }
      files.push({ shownAs, path, version: await versionOf(path), stopping });
    }
    return { files, close: async () => spools.remove() };
  } catch (error) {
    spools.remove();
    throw error;
  }
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
 * The folder of what is spooled, made when it is needed. It does not outlive the process, however that exits: what is made in
 * it is made at once, so that nothing can appear after it was removed.
 */
class SpoolFolder {
  #path: string | undefined;

  pathOf(index: number): string {
    if (this.#path === undefined) {
      this.#path = mkdtempSync(join(tmpdir(), 'reviewctl-input-'));
      process.once('exit', this.remove);
    }
    return join(this.#path, String(index));
  }

  readonly remove = (): void => {
    process.off('exit', this.remove);
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
  };
}

/** Throws `input` when the file is no longer the one that was opened. */
export async function checkUnchanged(file: InputFile): Promise<void> {
  const now = await versionOf(file.path).catch(() => undefined);
  const { size, modifiedMs, inode } = file.version;
  if (now?.size === size && now.modifiedMs === modifiedMs && now.inode === inode) return;
  throw new Failure(
    'input',
    `${file.shownAs}: the file changed while it was being read`,
    'run the command again when nothing writes to the file any more',
    { file: file.shownAs },
  );
}

async function versionOf(path: string): Promise<FileVersion> {
  const { size, mtimeMs, ino } = await stat(path);
  return { size, modifiedMs: mtimeMs, inode: ino };
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

async function spool(
  source: NodeJS.ReadableStream,
  { path, shownAs, stopping }: Pick<InputFile, 'path' | 'shownAs' | 'stopping'>,
): Promise<void> {
  try {
    const copy = createWriteStream(path, { fd: openSync(path, 'wx', 0o600) });
    await pipeline(source, copy, { signal: stopping });
  } catch (error) {
    stopping.throwIfAborted();
    const hint = `free some room in ${tmpdir()}, or name a file instead`;
    throw unreadable(shownAs, `it could not be copied: ${reasonOf(error)}`, hint, error);
  }
}

function unreadable(path: string, reason: string, hint: string, cause?: unknown): Failure {
  return new Failure('unreadable-path', `${path} cannot be read: ${reason}`, hint, { file: path, cause });
}

function reasonOf(error: unknown): string {
  switch (systemCodeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file';
    case 'EACCES':
    case 'EPERM':
      return 'access is denied';
    case 'ENOSPC':
      return 'the disk is full';
    default:
      return messageOf(error);
  }
}
