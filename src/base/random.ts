/** A source of numbers in [0, 1). */
export type Random = () => number;

export const systemRandom: Random = Math.random;

/**
 * A repeatable source: a seed gives the same sequence on every machine. Mulberry32, a 32-bit generator; good enough for
 * choices, never for secrets.
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A random one of `values`, which must not be empty. */
export function pick<T>(random: Random, values: readonly [T, ...T[]]): T {
  return values[Math.floor(random() * values.length)] ?? values[0];
}
