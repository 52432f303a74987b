import type { JsonObject } from '../../base/json.ts';
import { productOf, ratingOf } from './review-tally.ts';

/** A word of low ratings, and in how many reviews it occurs. */
export interface LowWord {
  readonly word: string;
  /** Of a low rating. */
  readonly low: number;
  /** Of any other. */
  readonly other: number;
}

/** The highest rating that is low. */
export const lowRating = 2;
/** Reviews that must use a word before it is shown: what one or two people wrote may be about them. */
const reviewsMinimum = 3;
const wordsShown = 40;
const wordsOfProduct = 6;
/** Words that are counted, and those of products; beyond them only known ones are counted. */
const wordsMaximum = 50_000;
const productWordsMaximum = 200_000;
/** UTF-16 units of a review that are read. */
const textLength = 4000;
/** How much more frequent a word must be to be one of low ratings. */
const leastLift = 1.5;

/** Letters alone, two or more: no number, address or link. */
const words = /(?<![\p{L}\p{N}_@./-])\p{L}[\p{L}\p{M}]{1,19}(?![\p{L}\p{N}_@/-])/gu;
/** What Korean adds to a noun; it is taken off where the same noun occurs with another, or bare. */
const particle =
  /^(.{2,}?)(?:이|가|은|는|을|를|에|의|도|로|으로|에서|까지|만|와|과|랑|이나|보다|처럼|부터)$/u;

/** Counts in how many reviews a word occurs, apart for low and other ratings, and for the low ones of each product. */
export class ReviewWords {
  readonly #counts = new Map<string, { low: number; other: number }>();
  readonly #products = new Map<string, Map<string, number>>();
  #productWords = 0;
  #low = 0;
  #other = 0;

  add(review: JsonObject): void {
    const product = productOf(review);
    const rating = ratingOf(review['rating']);
    const { text } = review;
    if (rating === undefined || typeof text !== 'string') return;
    const isLow = rating <= lowRating;
    if (isLow) this.#low += 1;
    else this.#other += 1;
    const found = text.slice(0, textLength).normalize('NFC').toLowerCase().match(words) ?? [];
    for (const word of new Set(found)) {
      this.#count(word, isLow);
      if (isLow && product !== undefined) this.#countOf(product, word);
    }
  }

  /** The words that are most typical of low ratings. */
  get lowWords(): readonly LowWord[] {
    return this.#typical([...this.#counts].map(([word, { low }]) => [word, low] as const)).slice(
      0,
      wordsShown,
    );
  }

  /** Those of the low ratings of a product. */
  ofProduct(product: string): readonly string[] {
    return this.#typical([...(this.#products.get(product) ?? [])])
      .slice(0, wordsOfProduct)
      .map(({ word }) => word);
  }

  #count(word: string, isLow: boolean): void {
    const known = this.#counts.get(word);
    if (known === undefined && this.#counts.size >= wordsMaximum) return;
    const counts = known ?? { low: 0, other: 0 };
    counts[isLow ? 'low' : 'other'] += 1;
    this.#counts.set(word, counts);
  }

  #countOf(product: string, word: string): void {
    const ofProduct = this.#products.get(product) ?? new Map<string, number>();
    this.#products.set(product, ofProduct);
    const known = ofProduct.get(word);
    if (known === undefined && this.#productWords >= productWordsMaximum) return;
    if (known === undefined) this.#productWords += 1;
    ofProduct.set(word, (known ?? 0) + 1);
  }

  /** The words with these numbers of low reviews, most typical of low ratings first, one for all forms of a noun. */
  #typical(counted: readonly (readonly [word: string, low: number])[]): readonly LowWord[] {
    const stems = stemsOf(counted.map(([word]) => word));
    const sums = new Map<string, LowWord>();
    for (const [form, count] of counted) {
      const word = stems.get(form) ?? form;
      const { low, other } = sums.get(word) ?? { low: 0, other: 0 };
      sums.set(word, { word, low: low + count, other: other + (this.#counts.get(form)?.other ?? 0) });
    }
    return [...sums.values()]
      .filter((word) => word.low >= reviewsMinimum && this.#lift(word) >= leastLift)
      .toSorted((a, b) => b.low * Math.log(this.#lift(b)) - a.low * Math.log(this.#lift(a)));
  }

  /** How many times as frequent a word is among low ratings as among others. */
  #lift({ low, other }: LowWord): number {
    return (low + 0.5) / (this.#low + 1) / ((other + 0.5) / (this.#other + 1));
  }
}

/** For each form of a noun that occurs in several, the noun. */
function stemsOf(forms: readonly string[]): ReadonlyMap<string, string> {
  const byStem = new Map<string, string[]>();
  const bare = new Set(forms);
  for (const form of forms) {
    const stem = particle.exec(form)?.[1];
    if (stem !== undefined) byStem.set(stem, [...(byStem.get(stem) ?? []), form]);
  }
  const stems = new Map<string, string>();
  for (const [stem, found] of byStem) {
    if (found.length > 1 || bare.has(stem)) for (const form of found) stems.set(form, stem);
  }
  return stems;
}
