const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const digitCodes = Uint8Array.from(digits, (digit) => digit.charCodeAt(0));

/** The length of a hash, in characters. */
export const textHashLength = 11;

/** Both halves of the last hash. */
const halves = new Uint32Array(2);

/**
 * A 64-bit hash of one or two texts, as 11 characters of base64url. It distinguishes contents that were not made to
 * collide: one in some 10^19 different pairs has equal hashes. It is not a signature: collisions can be constructed.
 */
export function textHash(text: string, second?: string): string {
  begin();
  mix(text);
  if (second !== undefined) mix(second);
  end(halves);
  return inDigits(halves[0] ?? 0, halves[1] ?? 0);
}

/** Hashes a text to two 32-bit numbers, written to `into`; never zero in both. */
export function textHashHalves(text: string, into: Uint32Array): void {
  begin();
  mix(text);
  end(into);
}

/** The state of the hash so far. */
let high = 0;
let low = 0;

function begin(): void {
  high = 0x243f6a88;
  low = 0x85a308d3 | 0;
}

function mix(text: string): void {
  const { length } = text;
  let [nextHigh, nextLow] = [high ^ length, low ^ length];
  for (let at = 0; at < length; at += 2) {
    // Beyond the end, charCodeAt returns NaN, which is read as 0.
    const codes = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    // Without the rotation, the lowest bits would depend only on the lowest bits of the characters.
    nextHigh = Math.imul(((nextHigh << 5) | (nextHigh >>> 27)) ^ codes, 0x9e3779b1);
    nextLow = Math.imul(((nextLow << 7) | (nextLow >>> 25)) ^ codes, 0x5f356495);
  }
  high = nextHigh;
  low = nextLow;
}

function end(into: Uint32Array): void {
  into[0] = mixed(high ^ (low >>> 7));
  into[1] = mixed(low ^ (high >>> 9));
  if (into[0] === 0 && into[1] === 0) into[1] = 1;
}

/** Makes every bit depend on all others. */
function mixed(half: number): number {
  let bits = Math.imul(half ^ (half >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

function inDigits(high: number, low: number): string {
  return String.fromCharCode(
    digit(high >>> 26),
    digit(high >>> 20),
    digit(high >>> 14),
    digit(high >>> 8),
    digit(high >>> 2),
    digit((high << 4) | (low >>> 28)),
    digit(low >>> 22),
    digit(low >>> 16),
    digit(low >>> 10),
    digit(low >>> 4),
    digit(low << 2),
  );
}

function digit(bits: number): number {
  return digitCodes[bits & 63] ?? 0;
}
