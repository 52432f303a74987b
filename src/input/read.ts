import { regroup } from '../base/lists.ts';
import { checkInput } from './check.ts';
import type { Checked } from './checked.ts';
import { gatherOrders } from './gather-orders.ts';
import type { InputFiles } from './open.ts';
import type { Entry, InputOptions } from './place.ts';
import type { Identified, RecordKind } from './record-kinds.ts';
import type { Validation } from './validate.ts';

/** How many records come at once; the last batch may be shorter. */
const batchSize = 500;

/**
 * The second pass: the good records in the order of the input, those of one whole order together where the last of them is. Bad
 * ones are left out, `validateInput` has told them in what is given as `found`.
 * Throws what `checkInput` throws; when a file was changed since it was opened, after the records it has given by then.
 */
export async function* readEntries<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  { problemCount, orders }: Pick<Validation, 'problemCount' | 'orders'>,
): AsyncGenerator<readonly Entry<T>[]> {
  const checked = checkInput(input, kind, options, { isSound: problemCount === 0 });
  const entries = entriesOf(checked);
  yield* regroup(orders?.isScattered ? gatherOrders(entries, orders) : entries, batchSize);
}

async function* entriesOf<T>(source: AsyncIterable<Checked<T>>): AsyncGenerator<readonly Entry<T>[]> {
  for await (const { entries } of source) yield entries;
}
