import { parseDuration } from '../../base/duration.ts';
import { Failure } from '../../base/failure.ts';
import type { Random } from '../../base/random.ts';

/** The faults of a request. Each text says if the request is carried out nevertheless. */
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

/** Frequency of a fault: a share of the requests from 0 to 1, or each of the next requests. */
type FaultRate = number | { readonly next: number };

/** Frequency of each fault. */
export type FaultRates = Readonly<Partial<Record<FaultKind, FaultRate>>>;

/** The fault of one request. */
export interface InjectedFault {
  readonly isSlow: boolean;
  readonly fault: Exclude<FaultKind, 'latency'> | undefined;
  /** From 0 to 1; determines the details of the fault. */
  readonly chance: number;
}

const kinds = Object.keys(faultKinds).filter(isFaultKind);

/**
 * Draws the fault of each request. Every request consumes the same number of random values, so with a given seed the
 * fault of the n-th request depends only on n and the rates.
 */
export class Faults {
  rates: FaultRates;
  readonly #random: Random;
  readonly #counts = new Map<FaultKind, number>();

  constructor(random: Random, rates: FaultRates) {
    this.#random = random;
    this.rates = rates;
  }

  /** Occurrences of each fault so far. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  draw(): InjectedFault {
    const drawn = kinds.filter((kind) => this.#random() < this.#share(kind));
    const fault = drawn.find((kind) => kind !== 'latency');
    const isSlow = drawn.includes('latency');
    if (isSlow) this.#count('latency');
    if (fault) this.#count(fault);
    return { isSlow, fault, chance: this.#random() };
  }

  #share(kind: FaultKind): number {
    const rate = this.rates[kind] ?? 0;
    return typeof rate === 'number' ? rate : 1;
  }

  /** Counts a fault that occurred. A fault of the next requests ends with the last of them. */
  #count(kind: FaultKind): void {
    const { [kind]: rate, ...others } = this.rates;
    if (typeof rate === 'object')
      this.rates = rate.next > 1 ? { ...this.rates, [kind]: { next: rate.next - 1 } } : others;
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
}

function isFaultKind(word: string): word is FaultKind {
  return Object.hasOwn(faultKinds, word);
}

const listLag = 'list-lag';

/**
 * Parses `--fault`: rates, and `list-lag=5s`, the time for which new records are missing from lists.
 * @throws Failure('usage') if a fault is invalid; the hint lists the kinds.
 */
export function parseFaults(words: readonly string[]) {
  const isLag = (word: string) => word.startsWith(`${listLag}=`);
  const listLagMs = words.filter(isLag).map(parseListLag).at(-1);
  return {
    faults: parseFaultRates(words.filter((word) => !isLag(word))),
    // Set only if given, because a persona may have a lag of its own.
    ...(listLagMs !== undefined && { listLagMs }),
  };
}

function parseListLag(word: string): number {
  const ms = parseDuration(word.slice(listLag.length + 1));
  if (ms !== undefined) return ms;
  throw new Failure('usage', `"${word}" is not a valid fault`, `give a duration, such as ${listLag}=5s`);
}

/** Writes rates as `KIND=RATE`, as they are typed. */
export function faultWords(rates: FaultRates): readonly string[] {
  return Object.entries(rates).map(
    ([kind, rate]) => `${kind}=${typeof rate === 'number' ? rate : `next:${rate.next}`}`,
  );
}

/**
 * Parses faults of the form `KIND=RATE`. The rate is `0.1` or `10%`, or `next:3` for the next 3 requests.
 * @throws Failure('usage') if a fault is invalid; the hint lists the kinds.
 */
export function parseFaultRates(words: readonly string[]): FaultRates {
  return Object.fromEntries(words.map(parseFaultRate));
}

function parseFaultRate(word: string): [FaultKind, FaultRate] {
  const [, kind = '', text = ''] = /^([a-z-]+)=(.*)$/.exec(word) ?? [];
  const rate = rateIn(text);
  if (!isFaultKind(kind) || rate === undefined) {
    throw new Failure(
      'usage',
      `"${word}" is not a valid fault`,
      `give KIND=RATE, such as torn=10% or torn=0.1, or torn=next:3 for the next 3 requests, with a kind of ` +
        `${kinds.join(', ')}; ${listLag}=5s makes lists lag behind writes`,
    );
  }
  return [kind, rate];
}

function rateIn(text: string): FaultRate | undefined {
  const [, next] = /^next:([1-9]\d{0,5})$/.exec(text) ?? [];
  if (next !== undefined) return { next: Number(next) };
  const [, amount, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  if (amount === undefined) return undefined;
  const share = percent === '%' ? Number(amount) / 100 : Number(amount);
  return share <= 1 ? share : undefined;
}
