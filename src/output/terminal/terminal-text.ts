/**
 * Characters with an effect instead of a shape: C0 and C1 controls (and with them every CSI, OSC and DCS sequence),
 * bidi and other format controls, line separators, zero-width and filler characters, variation selectors, tags, lone
 * surrogates.
 */
const alive = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Nearly all texts consist of these characters: ASCII, composed syllables and ideographs. They have no effect on a
 * terminal and need no composition.
 */
const harmless = /^[\x20-\x7e\u4e00-\u9fff\uac00-\ud7a3]*$/;

/**
 * Joiners and variation selectors inside an emoji only select its picture, and terminals disagree on its width. Without
 * them each emoji is separate and has the same width everywhere. Elsewhere they are escaped.
 */
const emojiGlue = new RegExp(
  [
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}])',
    '(?:\\ufe0f?\\u200d(?=\\p{Extended_Pictographic})|[\\ufe0e\\ufe0f])',
    '|(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
  ].join(''),
  'gu',
);

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': ' ' };

/**
 * `text` made safe for a terminal, on one line: composed (NFC, which terminals measure correctly), characters with an
 * effect replaced by a visible escape such as `\u{202e}`, line breaks by `\n` and `\r`.
 */
export function terminalText(text: string): string {
  if (harmless.test(text)) return text;
  return text
    .normalize('NFC')
    .replace(emojiGlue, '')
    .replace(alive, (character) => named[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** `text` with line breaks as `\n` and `\r`, otherwise unchanged, for programs that read line by line. */
export function onOneLine(text: string): string {
  return text.replace(/[\r\n]/g, (lineBreak) => named[lineBreak] ?? lineBreak);
}

/**
 * JSON text made safe for a terminal: characters with an effect are written as `\uXXXX`, which is the same JSON value.
 */
export function terminalJson(json: string): string {
  return json.replace(alive, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
