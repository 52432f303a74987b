import { appendFileSync, closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeFolder } from '../../base/atomic-file.ts';

/**
 * Appends lines to a new file that only this user can read. The file and its folder are created with the first line.
 * Lines added in one turn of the event loop share a write, which does not wait for the disk: handing it to another
 * thread would take longer than the write itself.
 */
export class AppendedLines {
  readonly path: string;
  #file: number | undefined;
  #waiting: string[] = [];
  /** The pending write; undefined once it has begun. */
  #next: Promise<void> | undefined;
  /** Set after a failed write, which may have left part of a line. Nothing is written after it. */
  #failed: { readonly error: unknown } | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Resolves once the line survives the end of this process. After a system error, rejects this and every later line
   * with it.
   */
  add(line: string): Promise<void> {
    this.#waiting.push(`${line}\n`);
    this.#next ??= nextTurn().then(() => this.#write());
    return this.#next;
  }

  /** Waits for pending writes. */
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
