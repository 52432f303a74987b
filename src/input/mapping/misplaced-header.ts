import type { Problem } from '../records/problem.ts';
import type { Binding } from './binding.ts';
import { findHeaderBelow, type HeaderPlace } from './header-below.ts';
import type { Layout } from './layout.ts';

/** What is wrong where the header of a file stands below the row that would be taken for it, with the flag that names its line. */
export function misplacedHeader(
  file: string,
  layout: Layout,
  bindAt: (place: HeaderPlace) => Binding,
): readonly Problem[] {
  const below = findHeaderBelow(layout, bindAt);
  if (below === undefined) return [];
  const { line, taken, binding } = below;
  const flag = `--header-row ${line}`;
  const mended = { remedy: `line ${line} looks like the header; add ${flag}`, choices: [flag] };
  // All that the row above lacks is one mistake.
  if (binding) return binding.missingColumns.slice(0, 1).map((lack) => ({ ...lack, ...mended }));
  const reason = `two headers stand one below the other, on lines ${taken} and ${line}`;
  return [{ file, line, code: 'second-header', reason, ...mended }];
}
