import type { Streams } from '../terminal/streams.ts';

/** The ways to write records, as `-o` takes them. */
export const outputFormats = ['table', 'ndjson', 'json', 'csv', 'ids', 'count', 'none'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Whether each record that was written is useful, although the list ended before its end. */
export const isUsefulInPart: Readonly<Record<OutputFormat, boolean>> = {
  table: false,
  ndjson: true,
  json: false,
  csv: true,
  ids: true,
  count: false,
  none: false,
};

/** The format that was asked for, or the one the reader of stdout calls for. */
export function chosenFormat(
  format: OutputFormat | undefined,
  { isOutputTerminal }: Pick<Streams, 'isOutputTerminal'>,
): OutputFormat {
  return format ?? (isOutputTerminal ? 'table' : 'ndjson');
}

/** Whether a format shows what is said of a record, such as why it was rejected; the others have ids at most. */
export function showsReasons(format: OutputFormat | undefined): boolean {
  return format !== 'none' && format !== 'count' && format !== 'ids';
}
