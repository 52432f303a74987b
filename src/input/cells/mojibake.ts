import { isUtf8 } from 'node:buffer';
import { lazy } from '../../base/lazy.ts';

/*
 * Detects text that was decoded with the wrong charset and saved. A false alarm would stop a push, so only characters
 * that no language writes in this way count.
 */

/** Windows-1252 characters of the bytes 0x80 to 0x9F, which are control characters in Latin-1. */
const windowsCharacters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const windowsBytes: ReadonlyMap<string, number> = new Map(
  Array.from(windowsCharacters, (character, index) => [character, 0x80 + index]),
);
/** Punctuation that may follow a letter in ordinary text: `CAFÉ’S`, `MANHÃ…`. */
const punctuation = /[‘’“”–—…]/;

/** Runs of characters that may be UTF-8 bytes decoded as a Western European charset. */
const latinRun = new RegExp(`[\\u0080-\\u00ff${windowsCharacters}]+`, 'g');

/** True if a text was decoded with the wrong charset and saved. */
export function isMojibake(text: string): boolean {
  if (!/[\u0080-\u00ff\u4e00-\u9fff\uf900-\ufaff]/.test(text)) return false;
  return (
    /[\u0080-\u009f]/.test(text) ||
    isUtf8ReadAsLatin(text) ||
    isCp949ReadAsLatin(text) ||
    isUtf8ReadAsCp949(text.normalize('NFC'))
  );
}

/** `ë¹¨ê°„` for 빨간, `CafÃ©` for Café, `donâ€™t` for don’t. */
function isUtf8ReadAsLatin(text: string): boolean {
  const runs = (text.match(latinRun) ?? []).map((run) => ({ run, read: asUtf8(run) }));
  if (runs.some(({ read }) => read !== undefined && Array.from(read).length > 1)) return true;
  return (
    runs.every(({ read }) => read !== undefined) &&
    runs.some(({ run, read = '' }) => isDecisiveAlone(run, read))
  );
}

function asUtf8(run: string): string | undefined {
  const bytes = Buffer.from(
    Array.from(run, (character) => windowsBytes.get(character) ?? character.charCodeAt(0)),
  );
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** True if one decoded character is proof enough: common in text, while its bytes as characters are not. */
function isDecisiveAlone(run: string, read: string): boolean {
  if (/^[ÂÃ]/.test(run)) return !punctuation.test(run);
  return /^[\u2000-\u2bff\uac00-\ud7a3\u{10000}-\u{10ffff}]$/u.test(read);
}

/** At least two pairs of bytes of common Hangul in CP949. */
const hangulBytes = /(?<![\u0080-\u00ff])(?:[\u00b0-\u00c8][\u00a1-\u00fe]){2,}(?![\u0080-\u00ff])/g;
/** Minimum number of different bytes; a run with fewer may be an ornament, such as `°º°º`. */
const differentBytes = 3;

/** `»¡°£` for 빨간. */
function isCp949ReadAsLatin(text: string): boolean {
  return (text.match(hangulBytes) ?? []).some((run) => new Set(run).size >= differentBytes);
}

/**
 * The first two bytes of nearly all Hangul in UTF-8 (EA to ED, A1 to BF), decoded as CP949 and composed. Text decoded
 * in this way contains no other ideographs.
 */
export const ideographsOfUtf8 =
  '運隕雲韻蔚鬱亐熊雄元原員圓園垣媛嫄寃怨愿援沅洹湲源爰猿瑗苑袁轅濡猶猷琉瑜由留癒硫紐維臾萸裕誘諛諭踰蹂遊逾遺酉釉鍮類六堉戮毓肉' +
  '議醫二以伊利吏夷姨履已弛彛怡易李梨泥爾珥理異痍痢移罹而耳肄苡荑立笠粒仍剩孕芿仔刺咨姉姿子字孜恣慈滋炙煮玆瓷疵磁紫者自茨蔗藉諮';

/** `占쏙옙`: U+FFFD in UTF-8 (EF BF BD), decoded as CP949, twice or before the first byte of Hangul. */
const replacementReadAsCp949 = /占(?:쏙옙|[썽쎄쎈쎌쏀])/;

const ideograph = new RegExp(`[${ideographsOfUtf8}]`);
const otherIdeograph = new RegExp(`(?![${ideographsOfUtf8}])\\p{Script=Han}`, 'u');
const onlyIdeographs = new RegExp(
  `^[\\x00-\\x7f]*[${ideographsOfUtf8}]{3}[\\x00-\\x7f${ideographsOfUtf8}]*$`,
);

/** `鍮④컙` for 빨간, or `占쏙옙` for characters that were lost before. */
function isUtf8ReadAsCp949(text: string): boolean {
  if (replacementReadAsCp949.test(text)) return true;
  if (!ideograph.test(text) || otherIdeograph.test(text)) return false;
  if (onlyIdeographs.test(text)) return true;
  const everyday = everydayHangul();
  return (text.match(/[가-힣]/g) ?? []).some((syllable) => !everyday.has(syllable));
}

/** The 2,350 common Korean syllables of KS X 1001: bytes B0 to C8, A1 to FE in EUC-KR. */
const everydayHangul = lazy(() => {
  const bytes: number[] = [];
  for (let lead = 0xb0; lead <= 0xc8; lead += 1) {
    for (let trail = 0xa1; trail <= 0xfe; trail += 1) bytes.push(lead, trail);
  }
  return new Set(new TextDecoder('euc-kr').decode(Buffer.from(bytes)));
});
