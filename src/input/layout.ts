import { type Beginning, readBeginning } from './beginning.ts';
import type { InputFile } from './open.ts';
import type { InputOptions } from './place.ts';
import { type Recognised, recognise } from './presets/recognise.ts';
import type { RecordKindName } from './record-kinds.ts';

/** What a file looks like before its records are read. */
export interface Layout {
  readonly beginning: Beginning;
  readonly preset: Recognised | undefined;
  /** How to read it: with the line of the header, where a preset knows it. */
  readonly options: InputOptions;
}

/**
 * Looks at the first rows of a file: which export it is, and where its header stands. What the flags say goes first.
 * Throws what `readBeginning` and `recognise` throw.
 */
export async function findLayout(
  file: InputFile,
  kind: RecordKindName,
  options: InputOptions,
): Promise<Layout> {
  const beginning = await readBeginning(file, options);
  const { headerRow } = options;
  const { rows, lines } = beginning;
  const from = headerRow === undefined ? 0 : lines.findIndex((line) => line >= headerRow);
  const looked = headerRow === undefined ? rows : rows.slice(from, from + 1);
  const preset = recognise(looked, kind, options.preset);
  if (headerRow !== undefined || !preset?.row) return { beginning, preset, options };
  return { beginning, preset, options: { ...options, headerRow: lines[preset.row] ?? 1 } };
}
