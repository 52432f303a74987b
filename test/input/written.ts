import { charsetNamed } from '../../src/input/open/charset.ts';

const cp949 = await charsetNamed('cp949');

const littleEndian = (text: string) => Buffer.from(text, 'utf16le');
const bigEndian = (text: string) => littleEndian(text).swap16();
const marked = (text: string) => `\ufeff${text}`;

/** Encodes a text in each encoding that is detected. */
export const encodings: Readonly<Record<string, (text: string) => Uint8Array>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with its mark': (text) => Buffer.from(marked(text)),
  CP949: (text) => cp949.encode(text),
  'UTF-16LE with its mark': (text) => littleEndian(marked(text)),
  'UTF-16BE with its mark': (text) => bigEndian(marked(text)),
  'UTF-16LE without': littleEndian,
  'UTF-16BE without': bigEndian,
};

/** A cell as written by programs that quote only what they must, or everything. */
export function writtenCell(text: string, delimiter: string, quotesAll: boolean): string {
  const needsQuotes = quotesAll || /["\r\n]/.test(text) || text.includes(delimiter);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The number of line ends in a text. */
export function lineEnds(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}
