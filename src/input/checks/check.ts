import { checkCellSettings } from '../cells/read-cell.ts';
import { itemRows } from '../formats/json/item-rows.ts';
import { previewFile } from '../formats/preview.ts';
import { readTable, tableNotice } from '../formats/table.ts';
import { IdNumbers } from '../ids/id-numbers.ts';
import { RepeatedIds } from '../ids/repeated-ids.ts';
import { type Binding, bind } from '../mapping/binding.ts';
import type { HeaderPlace } from '../mapping/header-below.ts';
import { findLayout } from '../mapping/layout.ts';
import { hasCounter, readMapping } from '../mapping/mapping.ts';
import { misplacedHeader } from '../mapping/misplaced-header.ts';
import type { InputFiles } from '../open/open.ts';
import type { InputOptions } from '../records/options.ts';
import type { Identified, RecordKind } from '../records/record-kinds.ts';
import { type CheckedBatch, emptyBatch } from './checked.ts';
import { FileCheck } from './file-check.ts';
import { SplitOrders } from './split-orders.ts';

/*
 * The room turns bytes into records that know their file and line. A file goes through
 *
 *     InputFile -> previewFile -> findLayout -> readTable (FileText to csv.ts or json.ts, or xlsx.ts) -> bind -> Assembler -> RepeatedIds
 *
 * and every look at the records of an input is this one pipeline, so what is sent is exactly what was found to be good. It promises: nothing is guessed; whatever is wrong is told with file, line and remedy;
 * memory does not grow with the input but for some 10 bytes per id while duplicates are looked for, 25 more from the first
 * one on, and the tree of categories; 25 per order where `{n}` numbers its rows; and for workbooks, which have a largest size; the same bytes give the same records.
 */

/**
 * Reads and checks everything, in order. What is wrong with a record leaves out the record, what is wrong with the
 * structure of a file, its header too, the rest of the file. Throws `input` for a mapping that does not fit and for a file that changed
 * since it was opened, `usage` for an impossible delimiter, time zone or base address. Where the input is known to be sound,
 * neither duplicates, conflicts beside other records nor rows that are none are looked for.
 */
export async function* checkInput<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  { isSound }: { readonly isSound: boolean },
): AsyncGenerator<CheckedBatch<T>> {
  checkCellSettings(options);
  const repeatedIds = isSound ? undefined : new RepeatedIds(input, kind, options.spoolFolder);
  try {
    yield* checkFiles(input, kind, options, repeatedIds);
  } finally {
    repeatedIds?.close();
  }
}

/** As `checkInput`; the input is known to be sound where there are no `repeatedIds`. */
async function* checkFiles<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  repeatedIds: RepeatedIds<T> | undefined,
): AsyncGenerator<CheckedBatch<T>> {
  const isSound = repeatedIds === undefined;
  const mapping = readMapping(options, kind);
  const conflicts = isSound ? undefined : await kind.findConflicts?.(recordsOf(input, kind, options));
  const counts = [...mapping.values()].some(hasCounter) ? new IdNumbers() : undefined;
  const splitOrders = counts === undefined || isSound ? undefined : new SplitOrders(input);
  let { productKey } = options;
  for (const [fileIndex, file] of input.files.entries()) {
    const preview = await previewFile(file, options);
    const sheet = preview.format === 'xlsx' ? await tableNotice(file, options) : undefined;
    if (sheet !== undefined) yield emptyBatch(file, { sheet });
    const layout = findLayout(preview, kind.name, options);
    const { isSheet, otherExport, preset } = layout;
    const ofFile = { ...options, productKey };
    const bindAt = ({ header, headerLine }: HeaderPlace): Binding =>
      bind(
        kind,
        mapping,
        { file: file.shownAs, header, headerLine, isSheet, firstRows: preview.rows },
        ofFile,
        preset?.shape,
      );
    const problems = otherExport ? [otherExport.problem] : misplacedHeader(file.shownAs, layout, bindAt);
    if (problems.length > 0) {
      yield emptyBatch(file, { problems, isBroken: true });
      continue;
    }
    const run = { kind, options: ofFile, counts, repeatedIds, splitOrders, conflicts };
    const check = new FileCheck(run, { file, fileIndex, layout, bindAt });
    const batches = readTable(preview, { ...layout.options, guideRows: layout.guideRows });
    const isOfOrders = kind.fields.some(({ isOfOrder }) => isOfOrder);
    const areNew = kind.name === 'orders';
    for await (const batch of isOfOrders ? itemRows(file, batches, { areNew }) : batches) {
      yield check.take(batch);
      if (check.isStopped) break;
    }
    yield check.finish();
    // The files of one push are those of one shop.
    productKey ??= check.productKey;
  }
}

async function* recordsOf<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
): AsyncGenerator<T> {
  for await (const { file, entries } of checkInput(input, kind, options, { isSound: true })) {
    file.stopping.throwIfAborted();
    for (const { record } of entries) yield record;
  }
}
