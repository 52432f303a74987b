import { appendFileSync, closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeFolder } from '../../base/atomic-file.ts';

/**
 * Lines added to a new file that only this user can read, made with its folder when the first one is added. Lines that
 * are added in one turn of the event loop share a write, which waits for no disk: handing it to another thread would
 * take longer than the write itself.
 */
export class AppendedLines {
  readonly path: string;
  #file: number | undefined;
  #waiting: string[] = [];
  /** The write of what is waiting; undefined once it has begun. */
  #next: Promise<void> | undefined;
  /** None is written after one that failed, which may have left part of a line. */
  #failed: { readonly error: unknown } | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Resolves when the line survives the end of this process. Rejects with what the system says, from then on for every
   * line.
   */
  add(line: string): Promise<void> {
    this.#waiting.push(`${line}\n`);
    this.#next ??= nextTurn().then(() => this.#write());
    return this.#next;
  }

  /** Awaits what is under way. */
  async close(): Promise<void> {
    await this.#next?.catch(() => undefined);
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #write(): void {
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#next = undefined;
    if (this.#failed !== undefined) throw this.#failed.error;
    try {
      this.#file ??= this.#make();
      appendFileSync(this.#file, text);
    } catch (error) {
      this.#failed = { error };
      throw error;
    }
  }

  #make(): number {
    makeFolder(dirname(this.path), 'process');
    return openSync(this.path, 'ax', 0o600);
  }
}
