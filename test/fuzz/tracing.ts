/* Records the execution of readers: `instrument.js` inserts calls of these functions into their code. */

/** The number of distinct steps between places. */
const steps = 65_536;
/** The number of levels of closeness of a comparison. */
const levels = 32;

/** The count of each step, followed by the levels that each comparison has reached. */
export const fuzzHits: Uint8Array = new Uint8Array(2 * steps);

/** String constants in each source file. */
export const fuzzConstants: Record<string, readonly string[]> = {};

/** The member name of a comparison, by its place. */
export const fuzzMembers: Record<number, string> = {};

/** The place of a comparison and its unequal operands: texts or numbers, or a text and anything else. */
export type Comparison = readonly [place: number, one: unknown, other: unknown];

/** The most comparisons kept per place, since one in a loop would leave no room for others. */
const comparisonsMaximum = 16;
let comparisons: Map<number, Comparison[]> | undefined;

export async function comparisonsOf(work: () => Promise<unknown>): Promise<readonly Comparison[]> {
  const found = new Map<number, Comparison[]>();
  comparisons = found;
  try {
    await work();
  } finally {
    comparisons = undefined;
  }
  return [...found.values()].flat();
}

function note(place: number, one: unknown, other: unknown): void {
  if (one === other) return;
  let level = 0;
  if (typeof one === 'string') level = typeof other === 'string' ? samePrefix(one, other) : 0;
  else if (typeof one === 'number' && typeof other === 'number') level = nearness(one, other);
  else if (typeof other !== 'string') return;
  if (level > 0) fuzzHits[steps + ((place * levels + level) & (steps - 1))] = 1;
  if (comparisons !== undefined) keep([place, one, other], comparisons);
}

function keep(comparison: Comparison, kept: Map<number, Comparison[]>): void {
  const [place] = comparison;
  const ofPlace = kept.get(place) ?? [];
  if (ofPlace.length < comparisonsMaximum) kept.set(place, [...ofPlace, comparison]);
}

function samePrefix(one: string, other: string): number {
  let length = 0;
  while (length < levels - 1 && length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) {
    length += 1;
  }
  return length;
}

/** Exact for differences up to 15, then by order of magnitude. */
function nearness(one: number, other: number): number {
  const difference = Math.abs(one - other);
  if (difference < 16) return levels - 1 - Math.ceil(difference);
  return difference < 2 ** 20 ? 20 - (32 - Math.clz32(difference)) : 0;
}

type Compare = (place: number, one: never, other: never) => boolean;

/** Replaces the operators of JavaScript. */
export const fuzzCompare = {
  '===': (place, one: unknown, other: unknown) => {
    note(place, one, other);
    return one === other;
  },
  '!==': (place, one: unknown, other: unknown) => {
    note(place, one, other);
    return one !== other;
  },
  '<': (place, one: number, other: number) => {
    note(place, one, other);
    return one < other;
  },
  '<=': (place, one: number, other: number) => {
    note(place, one, other);
    return one <= other;
  },
  '>': (place, one: number, other: number) => {
    note(place, one, other);
    return one > other;
  },
  '>=': (place, one: number, other: number) => {
    note(place, one, other);
    return one >= other;
  },
} as const satisfies Record<string, Compare>;

/** Compares the value of a `switch` with its texts and numbers. */
export function fuzzSwitch<T>(place: number, value: T, cases: readonly unknown[]): T {
  if (comparisons !== undefined) for (const other of cases) note(place, value, other);
  return value;
}

/** The most keys of a collection to compare with a wanted one. */
const keysMaximum = 64;

type Holder = Readonly<Record<string, (wanted: unknown) => unknown>>;

/** Replaces methods that search for a text in another one, or for a value in a collection. */
export function fuzzSearch(place: number, method: string, holder: Holder, wanted: unknown): unknown {
  if (typeof holder === 'string' && typeof wanted === 'string') {
    const text: string = holder;
    note(place, method === 'endsWith' ? text.slice(-wanted.length) : text.slice(0, wanted.length), wanted);
  } else if (comparisons !== undefined && typeof wanted === 'string') {
    for (const key of keysOf(holder)) note(place, wanted, key);
  }
  return holder[method]?.(wanted);
}

function keysOf(holder: unknown): readonly unknown[] {
  if (Array.isArray(holder)) return holder.slice(0, keysMaximum);
  return holder instanceof Set || holder instanceof Map ? [...holder.keys()].slice(0, keysMaximum) : [];
}
