import { Failure } from '../../base/failure.ts';
import { Spool, type SpoolBatch } from '../../base/spool.ts';
import type { CheckedBatch, RejectedRow } from '../checks/findings.ts';
import type { InputFile } from '../open/input-file.ts';
import type { InputFiles } from '../open/open.ts';
import { type RejectedRecord, type RejectsSource, writeRejects } from './rejects-file.ts';

/** Collects the invalid records of an input during validation. */
export class Rejects {
  readonly #spool: Spool;
  readonly #sources = new Map<string, RejectsSource>();
  /** Why skipping records would be unsafe. */
  #danger: Failure | undefined;
  #count = 0;

  /** Records that exceed memory limits are written to a file in `folder`. */
  constructor(folder: string) {
    this.#spool = new Spool(folder);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds the rejects of the next batch, which must be read with `keepRaw`. */
  add({ file, rejects, isBroken, sourceFormat }: Omit<CheckedBatch<unknown>, 'entries'>): void {
    const orphan = rejects.find(({ isOrphan }) => isOrphan);
    this.#danger ??= isBroken ? unfinished(file) : orphan && orphaned(orphan, file);
    if (rejects.length === 0 || sourceFormat === undefined) return;
    this.#sources.set(file.shownAs, { file, sourceFormat });
    this.#count += rejects.length;
    this.#spool.add({
      file: file.shownAs,
      lines: rejects.map(({ line }) => line),
      columns: [
        rejects.map(({ raw }) => raw),
        // An id may contain a lone surrogate, which only JSON preserves.
        rejects.map(({ originId, problems }) => JSON.stringify({ originId, problems })),
      ],
    });
  }

  /** @throws Failure('input') if skipping records is unsafe, even if there are none to skip. */
  checkSafe(): void {
    if (this.#danger !== undefined) throw this.#danger;
  }

  /** Yields all rejected records in the order of the input. */
  async *records(): AsyncGenerator<readonly RejectedRecord[]> {
    for await (const batch of this.#spool.batches()) yield rejectsOf(batch);
  }

  /**
   * Writes the records to `path` with the encoding, delimiter and header of the input, and their reasons in a last
   * column. Rows of a workbook become CSV that Excel leaves unchanged, with #VALUE! for values that Excel lost. A row
   * that continues the order above receives the values of that order. The file appears complete or not at all, readable
   * only by its owner. Must be called before the first request is sent, because it throws:
   *
   * - `input` if skipping records is unsafe (the rest of a file is unreadable, or an invalid row belongs to an unknown
   *   order), or if the formats of the files differ (columns, encoding);
   * - `usage` if the file exists with other content than the same command would write;
   * - `unreadable-path` or `unwritable-path` if it cannot be written;
   * - the reason of the files' `stopping` once it is aborted.
   */
  async write(path: string, input: InputFiles): Promise<void> {
    this.checkSafe();
    await writeRejects(path, input.files, this.#withSources());
  }

  async *#withSources(): AsyncGenerator<readonly [readonly RejectedRecord[], RejectsSource]> {
    for await (const batch of this.#spool.batches()) {
      const source = this.#sources.get(batch.file);
      if (source === undefined) throw new Error(`nothing was read from ${batch.file}`);
      source.file.stopping.throwIfAborted();
      yield [rejectsOf(batch), source];
    }
  }

  /** Releases memory and files. May be called twice. */
  close(): void {
    this.#spool.close();
  }
}

function rejectsOf({ file, lines, columns: [raws = [], abouts = []] }: SpoolBatch): RejectedRecord[] {
  return lines.map((line, index) => ({
    file,
    line,
    raw: raws[index] ?? '',
    ...(JSON.parse(abouts[index] ?? '{}') as Pick<RejectedRecord, 'originId' | 'problems'>),
  }));
}

function unfinished({ shownAs: file }: InputFile): Failure {
  return new Failure(
    'input',
    `${file} has problems that concern more than single records, so no record can be skipped`,
    'correct the problems listed for this file first; --rejects skips only single records',
    { file },
  );
}

function orphaned({ line }: RejectedRow, { shownAs: file }: InputFile): Failure {
  return new Failure(
    'input',
    `${file}:${line}: the order of this row cannot be read, so its other rows cannot be skipped with it`,
    'correct the rows of this order first, or fill in the order on each of them',
    { file, line },
  );
}
