import type { Problem } from '../records/problem.ts';
import type { Binding } from './binding.ts';
import { findHeaderBelow, type HeaderPlace } from './header-below.ts';
import type { RecognizedFile } from './recognize.ts';

/**
 * The problem of a file whose header is below the row that would be read as the header, with the flag that gives its
 * line.
 */
export function misplacedHeader(
  recognized: RecognizedFile,
  bindAt: (place: HeaderPlace) => Binding,
): readonly Problem[] {
  const below = findHeaderBelow(recognized, bindAt);
  if (below === undefined) return [];
  const { line, taken, binding } = below;
  const flag = `--header-row ${line}`;
  const correction = { remedy: `line ${line} looks like the header; add ${flag}`, choices: [flag] };
  // All columns that the row above lacks are one problem.
  if (binding) return binding.missingColumns.slice(0, 1).map((lack) => ({ ...lack, ...correction }));
  const reason = `there are two headers, on lines ${taken} and ${line}`;
  const file = recognized.file.shownAs;
  return [{ file, line, code: 'second-header', reason, ...correction }];
}
