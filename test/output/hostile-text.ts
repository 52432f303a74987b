/** By kind, a text that controls a terminal instead of being displayed. */
export const hostileTexts: Readonly<Record<string, string>> = {
  C0: 'a\u0000b\u0001c\u000bd\u007fe',
  C1: 'a\u0080b\u0085c\u009b31md\u009d0;x\u009c',
  CSI: 'a\u001b[2J\u001b[31mred\u001b[0m',
  'OSC 8': 'a\u001b]8;;https://example.com\u0007link\u001b]8;;\u0007',
  'OSC 52': 'a\u001b]52;c;cm0gLXJm\u001b\\',
  bidi: 'a\u202eb\u2066c\u2069d\u200fe\u061cf',
  'zero-width': 'a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg',
  'tag characters': 'a\u{e0001}\u{e0041}\u{e0042}\u{e007f}b',
  'CR overwrites': 'real\rfake',
  BEL: 'a\u0007b',
  backspace: 'real\b\b\b\bfake',
  DCS: 'a\u001bP1$r0m\u001b\\b\u0090q\u009c',
};

/** All characters in `text` that a terminal obeys or hides, except line feeds, which end our own lines. */
export function livingCharacters(text: string): string[] {
  return text.match(/(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu) ?? [];
}
