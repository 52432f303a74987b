import { Failure } from '../../base/failure.ts';
import { Spool, type SpoolBatch } from '../../base/spool.ts';
import type { CheckedBatch, RejectedRow } from '../checks/checked.ts';
import { hasCounter, readMapping } from '../mapping/mapping.ts';
import type { InputFile } from '../open/input-file.ts';
import type { InputFiles } from '../open/open.ts';
import type { InputOptions } from '../records/options.ts';
import type { RecordKind } from '../records/record-kinds.ts';
import { openRejects, type RejectedRecord, type RejectsSource } from './rejects-file.ts';

/** What was written. */
export interface WrittenRejects {
  /** The bad records as they stand in the input, to be corrected and pushed again. */
  readonly path: string;
  /** One line of JSON for each of them: `{"file","line","originId"?,"problems":[{"column","value","code","reason","remedy"}]}`. */
  readonly reasonsPath: string;
}

/** The records of an input that something is wrong with, kept while it is validated. */
export class Rejects {
  readonly #spool: Spool;
  readonly #sources = new Map<string, RejectsSource>();
  /** Why leaving records out would not be safe. */
  #danger: Failure | undefined;
  #count = 0;

  /** Many go to a file in `folder`. */
  constructor(folder: string) {
    this.#spool = new Spool(folder);
  }

  get count(): number {
    return this.#count;
  }

  /** Takes what was left out of the next rows, which were read with their text. */
  take({ file, rejects, isBroken, sourceFormat }: Omit<CheckedBatch<unknown>, 'entries'>): void {
    const orphan = rejects.find(({ isOrphan }) => isOrphan);
    if (isBroken) this.#danger ??= unfinished(file);
    else if (orphan !== undefined) this.#danger ??= orphaned(orphan, file);
    if (rejects.length === 0 || sourceFormat === undefined) return;
    this.#sources.set(file.shownAs, { file, sourceFormat });
    this.#count += rejects.length;
    this.#spool.add({
      file: file.shownAs,
      lines: rejects.map(({ line }) => line),
      columns: [
        rejects.map(({ raw }) => raw),
        // An id may hold half of a character, which only JSON keeps.
        rejects.map(({ originId, problems }) => JSON.stringify({ originId, problems })),
      ],
    });
  }

  /** All that were left out, in the order of the input. */
  async *records(): AsyncGenerator<readonly RejectedRecord[]> {
    for await (const batch of this.#spool.batches()) yield rejectsOf(batch);
  }

  /**
   * Writes them to `path`, in the encoding of the input, with its delimiter and the rows up to its header, and the reasons to a file
   * beside it; rows of an xlsx become CSV in which Excel keeps every cell, without what it has lost. A row that continues the order
   * above is written with the values of that order. Both files appear whole or not at all, readable by their owner alone. To be called
   * before anything is sent, because it throws where leaving records out would not be safe:
   *
   * - `input` where the rest of a file could not be read, where a bad row belongs to an order nothing is known of, and where
   *   the files of the input are written in different ways (other columns, another encoding);
   * - `usage` where an id is made with `{n}`, which would number the rejects anew, and where one of the two files is there and
   *   holds anything else; what an earlier run of the same command has written is left as it is;
   * - `unreadable-path` where it cannot be written; the reason of the files' `stopping`.
   */
  async write<T>(
    path: string,
    input: InputFiles,
    kind: RecordKind<T>,
    options: InputOptions,
  ): Promise<WrittenRejects> {
    refuseCounters(options, kind);
    if (this.#danger !== undefined) throw this.#danger;
    const written = await openRejects(path, input.files);
    try {
      for await (const batch of this.#spool.batches()) {
        const source = this.#sources.get(batch.file);
        if (source === undefined) throw new Error(`nothing was read from ${batch.file}`);
        source.file.stopping.throwIfAborted();
        await written.add(rejectsOf(batch), source);
      }
      await written.commit();
      return { path, reasonsPath: written.reasonsPath };
    } finally {
      await written.close();
    }
  }

  /** Lets go of everything; may be called twice. */
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

function refuseCounters<T>(options: InputOptions, kind: RecordKind<T>): void {
  for (const [path, source] of readMapping(options, kind)) {
    if (!hasCounter(source)) continue;
    throw new Failure(
      'usage',
      `--skip-invalid cannot leave out records whose ${path} is made with {n}: pushed later, they would be numbered anew`,
      'correct the input and push it as a whole, or map a column that holds the id',
    );
  }
}

function unfinished({ shownAs: file }: InputFile): Failure {
  return new Failure(
    'input',
    `${file} cannot be read to its end, so what to leave out of it is not known`,
    'correct what is listed for this file first; --skip-invalid is for single records',
    { file },
  );
}

function orphaned({ line }: RejectedRow, { shownAs: file }: InputFile): Failure {
  return new Failure(
    'input',
    `${file}:${line}: this row continues an order whose first row cannot be read, so it cannot be left out alone`,
    'correct the rows of this order first, or fill in the order on each of them',
    { file, line },
  );
}
