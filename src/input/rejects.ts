import { Failure } from '../base/failure.ts';
import { regroup } from '../base/lists.ts';
import { checkInput } from './check.ts';
import type { Checked, Reject } from './checked.ts';
import { countsRows, readMapping } from './mapping.ts';
import type { InputFile, InputFiles } from './open.ts';
import type { InputOptions, Problem } from './place.ts';
import type { Identified, RecordKind } from './record-kinds.ts';
import { openRejects } from './rejects-file.ts';

/** What was written. */
export interface Rejects {
  readonly count: number;
  /** The bad records as they stand in the input, to be corrected and pushed again. */
  readonly path: string;
  /** One line of JSON for each of them: `{"file","line","originId"?,"problems":[{"column","value","code","reason","remedy"}]}`. */
  readonly reasonsPath: string;
}

/**
 * Writes the records that something is wrong with to `path`, in the encoding of the input, with its delimiter and the rows
 * up to its header, and the reasons to a file beside it; rows of an xlsx become CSV in which Excel keeps every cell, without
 * what it has lost. A row that continues the order above is written with the values of that order. Both files appear whole or not at all, readable by their owner alone; a pass over
 * the input of its own, to be made before anything is sent, because it throws where leaving records out would not be safe:
 *
 * - `input` where the rest of a file could not be read, where a bad row belongs to an order nothing is known of, and where
 *   the files of the input are written in different ways (other columns, another encoding);
 * - `usage` where an id is made with `{n}`, which would number the rejects anew, and where one of the two files is there and
 *   holds anything else; what an earlier run of the same command has written is left as it is;
 * - `unreadable-path` where it cannot be written; what `checkInput` throws; the reason of the files' `stopping`.
 */
export async function writeRejects<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  path: string,
): Promise<Rejects> {
  refuseCounters(options, kind);
  const file = await openRejects(path, input.files);
  try {
    let count = 0;
    for await (const { rejects, isBroken, file: source, writing } of checkInput(
      input,
      kind,
      { ...options, keepRaw: true },
      { isSound: false },
    )) {
      source.stopping.throwIfAborted();
      if (isBroken) throw unfinished(source);
      if (rejects.length === 0 || writing === undefined) continue;
      refuseOrphans(rejects, source);
      await file.add(rejects, source, writing);
      count += rejects.length;
    }
    await file.commit();
    return { count, path, reasonsPath: file.reasonsPath };
  } finally {
    await file.close();
  }
}

/** A record that is left out: where it stands, the id it has there, good or not, and what is wrong with it. */
export interface LeftOut {
  readonly file: string;
  readonly line: number;
  readonly originId: string | undefined;
  readonly problems: readonly Problem[];
}

/** How many records left out come at once; the last batch may be shorter. */
const batchSize = 500;

/**
 * The records that something is wrong with, those that `writeRejects` writes, in the order of the input; a pass of its own
 * over the input, so that none is missing however many there are. Throws what `checkInput` throws, and the reason of the
 * files' `stopping`.
 */
export async function* readLeftOut<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
): AsyncGenerator<readonly LeftOut[]> {
  const checked = checkInput(input, kind, { ...options, keepRaw: true }, { isSound: false });
  yield* regroup(leftOutOf(checked), batchSize);
}

async function* leftOutOf<T>(source: AsyncIterable<Checked<T>>): AsyncGenerator<readonly LeftOut[]> {
  for await (const { file, rejects } of source) {
    file.stopping.throwIfAborted();
    yield rejects.map(({ line, originId, problems }) => ({ file: file.shownAs, line, originId, problems }));
  }
}

function refuseCounters<T>(options: InputOptions, kind: RecordKind<T>): void {
  for (const [path, source] of readMapping(options, kind)) {
    if (!countsRows(source)) continue;
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

function refuseOrphans(rejects: readonly Reject[], { shownAs: file }: InputFile): void {
  const orphan = rejects.find(({ isOrphan }) => isOrphan);
  if (!orphan) return;
  throw new Failure(
    'input',
    `${file}:${orphan.line}: this row continues an order whose first row cannot be read, so it cannot be left out alone`,
    'correct the rows of this order first, or fill in the order on each of them',
    { file, line: orphan.line },
  );
}
