import type { Problem } from '../records/problem.ts';

/*
 * Nearly every pair of bytes is a character of CP949, so that short texts in other charsets are valid CP949. Korean
 * uses the 2,350 syllables of KS X 1001, hardly ever the 8,822 that CP949 adds. In their place Shift_JIS has its kana,
 * and Big5 a third of its common characters.
 */

/** The least number of different rare characters; a Korean word may have one. */
const leastDifferent = 4;
/** The least number if most of the text consists of them. */
const leastAmongMost = 2;
/** In text that is not Korean, more than one of this many syllables is rare. */
const rareShare = 5;

/** The problem of a text that was detected as CP949 by `sample`, which begins on `line`, but is not Korean. */
export function foreignTextProblem(
  sample: Buffer,
  { file, line }: { readonly file: string; readonly line: number },
): Problem | undefined {
  const { everyday, rare } = syllablesIn(sample);
  const least = rare.length > everyday ? leastAmongMost : leastDifferent;
  if (rare.length < leastDifferent || rare.length * rareShare <= everyday + rare.length) return undefined;
  const found = neighbours.find(({ isCommon }) => {
    const common = rare.filter(({ lead, trail }) => isCommon(lead, trail));
    const different = new Set(common.map(({ lead, trail }) => lead * 256 + trail));
    return different.size >= least && common.length * 2 > rare.length;
  });
  if (found === undefined) return undefined;
  return {
    file,
    line: line + sample.subarray(0, rare[0]?.at).filter((byte) => byte === lineFeed).length,
    code: 'foreign-text',
    reason: `this looks like ${found.name}, not like Korean: as CP949 it is full of syllables that no Korean word has`,
    remedy: 'save the file as "CSV UTF-8" (Excel: Save as, CSV UTF-8); if it is Korean, add --encoding cp949',
  };
}

const lineFeed = 0x0a;

/** Charsets whose text may be valid CP949, and the rare syllables that are common characters there. */
const neighbours = [
  { name: 'Shift_JIS', isCommon: (lead: number) => lead === 0x82 || lead === 0x83 },
  { name: 'Big5', isCommon: (lead: number, trail: number) => lead >= 0xa4 && trail < 0x7f },
] as const;

/** The number of everyday syllables, and the others, which are not in KS X 1001: their bytes and their place. */
function syllablesIn(bytes: Buffer) {
  const rare: { readonly lead: number; readonly trail: number; readonly at: number }[] = [];
  let everyday = 0;
  for (let at = 0; at + 1 < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0;
    if (lead <= 0x80) continue;
    const trail = bytes[at + 1] ?? 0;
    if (lead <= 0xc6 && (trail < 0xa1 || lead < 0xa1)) rare.push({ lead, trail, at });
    else if (lead >= 0xb0 && lead <= 0xc8) everyday += 1;
    at += 1;
  }
  return { everyday, rare };
}
