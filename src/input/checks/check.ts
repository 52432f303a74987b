import { IdNumbers } from '../../base/id-set.ts';
import { checkCellSettings } from '../cells/read-cell.ts';
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
 * This room turns bytes into records with their file and line. Each file goes through
 *
 *     InputFile -> recognize -> readTable (csv.ts, json.ts or xlsx.ts)
 *         -> bind -> Assembler -> RepeatedIds
 *
 * and every pass over an input uses this pipeline, so exactly the validated records are sent. Within a pass each step
 * takes what the one before gives, and the first piece of a file is read once. A push has one pass, in which records
 * are compiled, too; categories, and orders with `{n}` if invalid ones are left out, take one before it. It promises:
 * - Nothing is guessed, and every problem has its file, line and remedy.
 * - The same bytes give the same records.
 * - Memory does not grow with the input, except for about 12 bytes per id during the search for duplicates, the tree of
 *   categories, 25 bytes per order if `{n}` numbers its rows, and workbooks,
 *   whose size is limited.
 */

/**
 * Reads and checks all files in order, and adds what it finds to `findings`. A problem of a record excludes the record,
 * a problem of the structure or header of a file the rest of the file.
 * @throws Failure('input') for a mapping that does not fit and for a file that changed since it was opened, `usage` for
 * an impossible delimiter, time zone or base URL; the reason of the files' `stopping` once it is aborted.
 */
export async function* checkInput<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  findings: Findings,
): AsyncGenerator<CheckedBatch<T>> {
  checkCellSettings(options);
  const ordersLeftOut = options.keepRaw && hasCountedIds(options, kind) ? new IdNumbers() : undefined;
  const passBefore = () => checkFiles(input, kind, options, { findings: new Findings(), ordersLeftOut });
  // The first row of an order may be valid and a later one not.
  if (ordersLeftOut) for await (const _ of passBefore());
  const conflicts = await kind.findConflicts?.(recordsOf(passBefore()));
  yield* checkFiles(input, kind, options, { findings, ordersLeftOut, conflicts });
}

/** As `checkInput`, in one pass. Orders with an invalid row are added to `ordersLeftOut`. */
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
      // All files of a push belong to one shop.
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
 * Checks one file. A recognized workbook holds its texts, and only as long as this generator: those of one file are
 * gone before the next is opened.
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
    yield check.take(batch);
    if (check.isStopped) return;
  }
  yield { file, entries: [], rejects: [], isBroken: check.finish() };
}
