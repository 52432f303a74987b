/** A cell as programs write it that quote what they must, or everything. */
export function writtenCell(text: string, delimiter: string, quotesAll: boolean): string {
  const needsQuotes = quotesAll || /["\r\n]/.test(text) || text.includes(delimiter);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The number of line ends in a text. */
export function lineEnds(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}
