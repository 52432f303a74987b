import { Failure } from '../../base/failure.ts';
import { Spool, type SpoolBatch } from '../../base/spool.ts';
import type { CheckedBatch, RejectedRow } from '../checks/findings.ts';
import type { InputFile } from '../open/input-file.ts';
import type { InputFiles } from '../open/open.ts';
import { type RejectedRecord, type RejectsSource, writeRejects } from './rejects-file.ts';

/** Collects the invalid records of an input while it is validated. */
export class Rejects {
  readonly #spool: Spool;
  readonly #sources = new Map<string, RejectsSource>();
  /** Why it would not be safe to skip records. */
  #danger: Failure | undefined;
  #count = 0;

  /** Large numbers of records go to a file in `folder`. */
  constructor(folder: string) {
    this.#spool = new Spool(folder);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds the rejects of the next batch, which must be read with `keepRaw`. */
  take({ file, rejects, isBroken, sourceFormat }: Omit<CheckedBatch<unknown>, 'entries'>): void {
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
        // An id may contain half of a surrogate pair, which only JSON preserves.
        rejects.map(({ originId, problems }) => JSON.stringify({ originId, problems })),
      ],
    });
  }

  /** @throws Failure('input') where skipping records is not safe, even if there are none to skip. */
  checkSafe(): void {
    if (this.#danger !== undefined) throw this.#danger;
  }

  /** All rejected records, in the order of the input. */
  async *records(): AsyncGenerator<readonly RejectedRecord[]> {
    for await (const batch of this.#spool.batches()) yield rejectsOf(batch);
  }

  /**
   * Writes the records to `path` with the encoding, delimiter and header of the input, and their reasons in a last
   * column. Rows of a workbook become CSV that Excel leaves unchanged, with #VALUE! for values that Excel has lost. A
   * row that continues the order above gets the values of that order. The file appears complete or not at all,
   * readable by its owner alone. It must be called before anything is sent, because it throws if skipping records is
   * not safe:
   *
   * - `input` if the rest of a file could not be read, an invalid row belongs to an unknown order, or the formats of
   *   the files differ (columns, encoding);
   * - `usage` if the file exists with other content than an earlier run of the same command has written;
   * - `unreadable-path` if it cannot be written; the reason of the files' `stopping`.
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

  /** Releases everything; may be called twice. */
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
    `${file} has problems that are not those of single records, so none can be left out`,
    'correct the problems listed for this file first; --rejects is for single records',
    { file },
  );
}

function orphaned({ line }: RejectedRow, { shownAs: file }: InputFile): Failure {
  return new Failure(
    'input',
    `${file}:${line}: the order of this row cannot be read, so it cannot be left out without the other rows`,
    'correct the rows of this order first, or fill in the order on each of them',
    { file, line },
  );
}
