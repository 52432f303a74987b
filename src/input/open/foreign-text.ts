import type { Problem } from '../records/problem.ts';

/*
 * Nearly every pair of bytes is a character of CP949, so that short text of its neighbours passes for it. What tells them apart:
 * Korean is written with the 2,350 syllables of KS X 1001, and the 8,822 that CP949 adds are hardly ever used. There Shift_JIS has its
 * kana, and Big5 one of three of its common characters.
 */

/** How many different ones of these characters there must be: a Korean word may have one. */
const leastDifferent = 4;
/** How many where most of the text is made of them. */
const leastAmongMost = 2;
/** Of so many syllables, in other than Korean text more than one is among those that are hardly used. */
const rareShare = 5;

/** What is wrong with text that was taken for CP949 by `sample`, which stands on `line`, and holds no Korean; undefined for one that may. */
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
    reason: `this looks like ${found.name}, and not like Korean: read as CP949 it is full of syllables that no word has`,
    remedy:
      'save the file as "CSV UTF-8" (Excel: Save as, CSV UTF-8); if it is Korean all the same, add --encoding cp949',
  };
}

const lineFeed = 0x0a;

/** Charsets whose text passes for CP949, and what of those rare syllables is common there. */
const neighbours = [
  { name: 'Shift_JIS', isCommon: (lead: number) => lead === 0x82 || lead === 0x83 },
  { name: 'Big5', isCommon: (lead: number, trail: number) => lead >= 0xa4 && trail < 0x7f },
] as const;

/** A syllable that CP949 has beyond KS X 1001. */
interface RareSyllable {
  readonly lead: number;
  readonly trail: number;
  readonly at: number;
}

function syllablesIn(bytes: Buffer): { readonly everyday: number; readonly rare: readonly RareSyllable[] } {
  const rare: RareSyllable[] = [];
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
