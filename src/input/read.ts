import { regroup } from '../base/lists.ts';
import { checkInput, type Identified } from './check.ts';
import type { InputFiles } from './open.ts';
import type { Entry, InputOptions } from './place.ts';
import type { RecordKind } from './record-kinds.ts';

/** How many records come at once; the last batch may be shorter. */
const batchSize = 500;

/**
 * The second pass: the good records in the order of the input. Bad ones are left out, `validateInput` has told them.
 * Throws what `checkInput` throws; when a file was changed since it was opened, after the records it has given by then.
 */
export async function* readEntries<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
): AsyncGenerator<readonly Entry<T>[]> {
  yield* regroup(goodEntries(input, kind, options), batchSize);
}

async function* goodEntries<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
): AsyncGenerator<readonly Entry<T>[]> {
  for await (const { entries } of checkInput(input, kind, options)) yield entries;
}
