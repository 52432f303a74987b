import type { Streams } from '../terminal/streams.ts';

/** The values of `-o`. */
export const outputFormats = ['table', 'ndjson', 'json', 'csv', 'ids', 'count', 'none'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** True if the records written so far are useful although the list is incomplete. */
export const isUsefulInPart: Readonly<Record<OutputFormat, boolean>> = {
  table: false,
  ndjson: true,
  json: false,
  csv: true,
  ids: true,
  count: false,
  none: false,
};

/** The requested format; by default a table on a terminal, NDJSON in a pipe. */
export function chosenFormat(
  format: OutputFormat | undefined,
  { isOutputTerminal }: Pick<Streams, 'isOutputTerminal'>,
): OutputFormat {
  return format ?? (isOutputTerminal ? 'table' : 'ndjson');
}

/** True if a format shows the reason for an outcome; the others show at most ids. */
export function showsReasons(format: OutputFormat | undefined): boolean {
  return format !== 'none' && format !== 'count' && format !== 'ids';
}
