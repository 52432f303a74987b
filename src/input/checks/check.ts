import { IdNumbers } from '../../base/id-set.ts';
import { itemRows } from '../formats/json/item-rows.ts';
import { readTable } from '../formats/open-table.ts';
import { misplacedHeader } from '../mapping/header-below.ts';
import { hasCountedIds, hasCounter, readMapping } from '../mapping/mapping.ts';
import { recognize } from '../mapping/recognize.ts';
import type { InputFile } from '../open/input-file.ts';
import type { InputFiles } from '../open/open.ts';
import { orderFieldOf } from '../records/field.ts';
import type { InputOptions } from '../records/options.ts';
import type { Identified, RecordKind } from '../records/record-kinds.ts';
import { FileCheck } from './file-check.ts';
import { type CheckedBatch, type CheckRun, Findings } from './findings.ts';
import { RepeatedIds, splitOrderFinder } from './row-comparison.ts';
import { shardFilter } from './shard-filter.ts';

/*
 * This room turns bytes into records with their file and line. Each file passes through
 *
 *     InputFile -> recognize -> readTable (csv.ts, json.ts or xlsx.ts)
 *         -> bind -> Assembler -> RepeatedIds
 *
 * and every pass over an input uses this pipeline, so exactly the validated records are sent. Within a pass, each step
 * reads the output of the one before, and the first piece of a file is read only once. A push has one pass, which also
 * compiles the records. Two kinds of input need another pass before it: categories, and orders numbered with `{n}` if
 * invalid records are skipped. The pipeline promises:
 * - Nothing is guessed, and every problem has its file, line and remedy.
 * - The same bytes give the same records.
 * - Memory does not grow with the input, apart from about 12 bytes per id to find duplicates, the tree of categories,
 *   25 bytes per order if `{n}` numbers its rows, and workbooks, whose size is limited.
 */

/**
 * Reads and checks all files in order, and adds problems and notices to `findings`. A problem of a record excludes the
 * record. A problem in the structure or the header of a file excludes the rest of the file.
 * @throws Failure('input') if a mapping does not fit or a file changed since it was opened, and the reason of the
 * files' `stopping` once it is aborted.
 */
export async function* checkInput<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  findings: Findings,
): AsyncGenerator<CheckedBatch<T>> {
  const ordersLeftOut = options.keepRaw && hasCountedIds(options, kind) ? new IdNumbers() : undefined;
  const passBefore = () => checkFiles(input, kind, options, { findings: new Findings(), ordersLeftOut });
  // The first row of an order may be valid although a later one is not.
  if (ordersLeftOut) for await (const _ of passBefore());
  const conflicts = await kind.findConflicts?.(recordsOf(passBefore()));
  yield* checkFiles(input, kind, options, { findings, ordersLeftOut, conflicts });
}

/** One pass of `checkInput`. Adds orders with an invalid row to `ordersLeftOut`. */
async function* checkFiles<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  pass: Pick<CheckRun<T>, 'findings' | 'ordersLeftOut' | 'conflicts'>,
): AsyncGenerator<CheckedBatch<T>> {
  const isCounted = [...readMapping(options, kind).values()].some(hasCounter);
  const repeatedIds = new RepeatedIds(input, options.spoolFolder);
  const { shard, keepRaw: areRowsSkipped = false } = options;
  const shared = {
    ...pass,
    kind,
    counts: isCounted ? new IdNumbers() : undefined,
    findSplit: isCounted ? splitOrderFinder(input) : undefined,
    repeatedIds,
    filter: shard && shardFilter(shard, kind, isCounted, areRowsSkipped),
  };
  try {
    for (const [fileIndex, file] of input.files.entries()) {
      // All files of a push belong to one shop, so the first product key found applies to them all.
      const productKey = options.productKey ?? pass.findings.productKey;
      const run = { ...shared, options: { ...options, productKey } };
      for await (const batch of checkFile(file, fileIndex, run)) {
        file.stopping.throwIfAborted();
        yield batch;
      }
    }
  } finally {
    repeatedIds.close();
  }
}

async function* recordsOf<T>(batches: AsyncIterable<CheckedBatch<T>>): AsyncGenerator<T> {
  for await (const { entries } of batches) for (const { record } of entries) yield record;
}

/**
 * Checks one file. A recognized workbook holds its texts for the life of this generator, so those of one file are
 * released before the next file is opened.
 */
async function* checkFile<T extends Identified>(
  file: InputFile,
  fileIndex: number,
  run: CheckRun<T>,
): AsyncGenerator<CheckedBatch<T>> {
  const { kind, options, findings } = run;
  const recognized = await recognize(file, options, kind.name);
  const { sheets, otherExport } = recognized;
  if (sheets?.notice !== undefined) findings.note(sheets.notice);
  const problems = otherExport ? [otherExport.problem] : misplacedHeader(recognized, kind, options);
  if (problems.length > 0) {
    findings.report(file.shownAs, problems);
    yield { file, entries: [], rejects: [], isBroken: true };
    return;
  }
  const check = new FileCheck(run, recognized, fileIndex);
  const batches = readTable(recognized, options);
  const areNew = kind.name === 'orders';
  for await (const batch of orderFieldOf(kind.fields) ? itemRows(file, batches, { areNew }) : batches) {
    yield check.checkBatch(batch);
    if (check.isStopped) return;
  }
  yield { file, entries: [], rejects: [], isBroken: check.finish() };
}
