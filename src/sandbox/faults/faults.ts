import { parseDuration } from '../../base/duration.ts';
import { Failure } from '../../base/failure.ts';
import type { Random } from '../../base/random.ts';

/** What can go wrong with a request, and whether it is carried out all the same. */
export const faultKinds = {
  latency: 'the answer takes longer; carried out',
  throttle: '429 with Retry-After; not carried out',
  error: '500 or 503; not carried out',
  'error-after': '500; carried out',
  'reset-before': 'the connection is reset; not carried out',
  'reset-after': 'the connection is reset; carried out',
  torn: 'the connection ends within the answer; carried out',
  stall: 'no answer; carried out',
  'wrong-type': '200 with an HTML page; carried out',
} as const;

export type FaultKind = keyof typeof faultKinds;

/** How often each fault happens, from 0 to 1. */
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

/** What happens to one request. */
export interface Misfortune {
  readonly isSlow: boolean;
  readonly fault: Exclude<FaultKind, 'latency'> | undefined;
  /** From 0 to 1, for whatever else of the fault is left to chance. */
  readonly chance: number;
}

const kinds = Object.keys(faultKinds).filter(isFaultKind);

/**
 * Draws what happens to each request. Every request takes the same count of numbers from the source, so with one
 * seed the fate of the n-th request depends on n and the rates alone.
 */
export class Faults {
  readonly #random: Random;
  #rates: FaultRates;
  readonly #counts = new Map<FaultKind, number>();

  constructor(random: Random, rates: FaultRates) {
    this.#random = random;
    this.#rates = rates;
  }

  get rates(): FaultRates {
    return this.#rates;
  }

  set rates(rates: FaultRates) {
    this.#rates = rates;
  }

  /** How often each fault happened. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  draw(): Misfortune {
    const drawn = kinds.filter((kind) => this.#random() < (this.#rates[kind] ?? 0));
    const fault = drawn.find((kind) => kind !== 'latency');
    const isSlow = drawn.includes('latency');
    if (isSlow) this.#count('latency');
    if (fault) this.#count(fault);
    return { isSlow, fault, chance: this.#random() };
  }

  #count(kind: FaultKind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
}

function isFaultKind(word: string): word is FaultKind {
  return Object.hasOwn(faultKinds, word);
}

const listLag = 'list-lag';

/**
 * Reads faults as they are typed: rates, and `list-lag=5s` for how long new records are missing from lists.
 * @throws Failure('usage') that lists the kinds.
 */
export function parseFaults(words: readonly string[]): {
  readonly faults: FaultRates;
  readonly listLagMs: number;
} {
  const isLag = (word: string) => word.startsWith(`${listLag}=`);
  return {
    faults: parseFaultRates(words.filter((word) => !isLag(word))),
    listLagMs: words.filter(isLag).map(parseListLag).at(-1) ?? 0,
  };
}

function parseListLag(word: string): number {
  const ms = parseDuration(word.slice(listLag.length + 1));
  if (ms !== undefined) return ms;
  throw new Failure('usage', `"${word}" is no fault`, `write a duration, such as ${listLag}=5s`);
}

/**
 * Reads faults as they are typed: `KIND=RATE`, the rate as `0.1` or `10%`. Throws a Failure `usage` that lists the
 * kinds.
 */
export function parseFaultRates(words: readonly string[]): FaultRates {
  return Object.fromEntries(words.map(parseFaultRate));
}

function parseFaultRate(word: string): [FaultKind, number] {
  const [, kind = '', amount = '', percent] = /^([a-z-]+)=(\d+(?:\.\d+)?)(%?)$/.exec(word) ?? [];
  const rate = percent === '%' ? Number(amount) / 100 : Number(amount);
  if (!isFaultKind(kind) || amount === '' || rate > 1) {
    throw new Failure(
      'usage',
      `"${word}" is no fault`,
      `write KIND=RATE, such as torn=10% or torn=0.1; the kinds are ${kinds.join(', ')}; lists lag behind writes with ${listLag}=5s`,
    );
  }
  return [kind, rate];
}
