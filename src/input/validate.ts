import { checkInput, type Identified } from './check.ts';
import type { InputFiles } from './open.ts';
import type { InputOptions, Notice, Problem } from './place.ts';
import type { RecordKind } from './record-kinds.ts';

/** How many problems are kept to be listed; all are counted. */
export const problemsKept = 10_000;
/** How many notices are kept. */
const noticesKept = 100;

export interface Validation {
  /** How many records are good: what `readEntries` will give. */
  readonly count: number;
  /** The first problems in the order of the input. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  /** The paths of the fields that at least one record had a value for, in the kind's order. */
  readonly fields: readonly string[];
  /** Each column once, whatever the number of files. */
  readonly notices: readonly Notice[];
}

/** The first pass: reads the whole input and tells everything that is wrong with it. Throws what `checkInput` throws. */
export async function validateInput<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
): Promise<Validation> {
  let count = 0;
  let problemCount = 0;
  const problems: Problem[] = [];
  const filled = new Set<string>();
  const notices = new Map<string, Notice>();
  for await (const checked of checkInput(input, kind, options, { isUnique: false })) {
    count += checked.entries.length;
    problemCount += checked.problems.length;
    for (const path of checked.filledFields) filled.add(path);
    problems.push(...checked.problems.slice(0, problemsKept - problems.length));
    for (const notice of checked.notices) {
      const key = `${notice.code} ${notice.column}`;
      if (notices.size < noticesKept && !notices.has(key)) notices.set(key, notice);
    }
  }
  const fields = kind.fields.map(({ path }) => path).filter((path) => filled.has(path));
  return { count, problems, problemCount, fields, notices: [...notices.values()] };
}
