import { lazy } from '../../base/lazy.ts';

const ascii = /^[\x20-\x7e]*$/;
/** East Asian Wide and Fullwidth blocks, and emoji without a variation selector. */
const wideBlocks = [
  '\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f',
  '\\uff01-\\uff60\\uffe0-\\uffe6\\u{16fe0}-\\u{18cff}\\u{1aff0}-\\u{1b2ff}\\u{20000}-\\u{3fffd}',
];
const wide = new RegExp(`^[${wideBlocks.join('')}]|^\\p{Emoji_Presentation}$`, 'u');
/** Lazy: V8 needs a millisecond for these properties, and most calls print plain ASCII. */
const patterns = lazy(() => ({
  widthless: /^[\p{Mn}\p{Me}\u1161-\u11ff]$/u,
  /** A flag, an emoji with its skin tone (both two cells wide), or a single character. */
  pieces: /\p{Regional_Indicator}{2}|\p{Emoji_Modifier_Base}\p{Emoji_Modifier}|./gsu,
  /** Half a flag is shown as a letter in a box. */
  flagHalf: /^\p{Regional_Indicator}$/u,
  picture: /^(?:\p{Regional_Indicator}{2}|\p{Emoji_Modifier_Base}\p{Emoji_Modifier})$/u,
}));
/** Only texts with surrogates can have pieces of several characters. */
const hasSurrogates = /[\ud800-\udfff]/;

/** The width of `text` in terminal cells; it must have gone through `terminalText`. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const piece of piecesOf(text)) width += pieceWidth(piece);
  return width;
}

/** A text and its width in terminal cells. */
interface MeasuredText {
  readonly text: string;
  readonly width: number;
}

/** `text` cut to at most `width` cells, with `…` in the last one if something was cut. */
export function clipText(text: string, width: number): MeasuredText {
  // Each of these characters takes a cell. A mark that follows belongs to the last one, which is cut.
  if (ascii.test(text.slice(0, width + 1))) {
    return text.length > width
      ? { text: `${text.slice(0, width - 1)}…`, width }
      : { text, width: text.length };
  }
  let taken = '';
  let takenWidth = 0;
  let clipped: MeasuredText | undefined;
  for (const piece of piecesOf(text)) {
    const next = takenWidth + pieceWidth(piece);
    if (clipped === undefined && next > width - 1) clipped = { text: `${taken}…`, width: takenWidth + 1 };
    if (next > width) return clipped ?? { text: '…', width: 1 };
    taken += piece;
    takenWidth = next;
  }
  return { text, width: takenWidth };
}

/** A space at which lines are not broken. */
export const noBreakSpace = '\u00a0';

/**
 * Wraps `text` between words, in lines of at most `width` cells. A longer word stays whole: the terminal continues it
 * on the next line, and it is copied as one. So does a command whose words are kept together.
 */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line === undefined || displayWidth(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line ?? ''].map((one) => one.replaceAll(noBreakSpace, ' '));
}

/** `head` with the text beside it, wrapped between words; further lines are indented below the first. */
export function hangingLines(head: string, text: string, width: number): readonly string[] {
  const indent = displayWidth(head);
  const [first = '', ...others] = wrapText(keepCommands(text), width - indent);
  return [`${head}${first}`.trimEnd(), ...others.map((line) => ' '.repeat(indent) + line)];
}

/**
 * Keeps the words of each command together in a text that does not mark its commands: from `reviewctl` to the next
 * comma, semicolon, colon or bracket outside of quotes.
 */
export function keepCommands(text: string): string {
  return text.replaceAll(/\breviewctl(?: (?:'[^']*'|[^ '])*(?:'[^']*'|[^ ';:,)]))+/g, (command) =>
    command.replaceAll(' ', noBreakSpace),
  );
}

function piecesOf(text: string): Iterable<string> {
  return hasSurrogates.test(text) ? matchesIn(text) : text;
}

function* matchesIn(text: string): Generator<string> {
  for (const [piece] of text.matchAll(patterns().pieces)) yield piece;
}

function pieceWidth(piece: string): number {
  if (piece <= '~') return 1;
  if (piece >= '가' && piece <= '힣') return 2;
  const { widthless, flagHalf, picture } = patterns();
  if (widthless.test(piece)) return 0;
  if (piece.length > 1 && picture.test(piece)) return 2;
  return wide.test(piece) && !flagHalf.test(piece) ? 2 : 1;
}
