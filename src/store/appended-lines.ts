import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Lines added to a new file that only this user can read, made with its folder when the first one is added. Lines that are added while
 * others are written share a write.
 */
export class AppendedLines {
  readonly path: string;
  #file: Promise<FileHandle> | undefined;
  #waiting: string[] = [];
  /** The write of what is waiting; undefined once it has begun. */
  #next: Promise<void> | undefined;
  /** The last write there is; none begins after one that failed, which may have left part of a line. */
  #last: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.path = path;
  }

  /** Resolves when the line survives the end of this process. Rejects with what the system says, from then on for every line. */
  add(line: string): Promise<void> {
    this.#waiting.push(`${line}\n`);
    this.#next ??= this.#last = this.#last.then(() => this.#write());
    return this.#next;
  }

  /** Awaits what is under way. */
  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await (await this.#file?.catch(() => undefined))?.close();
  }

  async #write(): Promise<void> {
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#next = undefined;
    this.#file ??= this.#make();
    await (await this.#file).appendFile(text);
  }

  async #make(): Promise<FileHandle> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    return open(this.path, 'ax', 0o600);
  }
}
