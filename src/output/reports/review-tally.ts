import type { Json, JsonObject } from '../../base/json.ts';
import { instantMs, isoIn } from '../../base/korean-time.ts';
import { textOf, valueAt } from '../views/fields.ts';

/** One line of the statistics: the reviews of a `group` with the same `key`; null stands for the rest of the group. */
export interface ReviewStatistic extends JsonObject {
  readonly group: 'all' | 'rating' | 'media' | 'product' | 'month';
  readonly key: string | null;
  /** The key in words. */
  readonly name: string;
  readonly count: number;
  /** Share of all reviews, from 0 to 1. */
  readonly share: number;
  /** Average of the reviews that have a rating. */
  readonly ratingAverage: number | null;
}

/** Reviews with the same key. */
export type ReviewGroup = Pick<
  Bucket,
  'key' | 'name' | 'count' | 'low' | 'photo' | 'video' | 'ratingAverage'
>;

/** The highest rating that counts as low. */
export const lowRating = 2;

interface Media {
  readonly hasPhoto: boolean;
  readonly hasVideo: boolean;
}

/** A product's average is weighted as if it had this many more reviews of the overall average. */
const assumedReviews = 5;

/** Keys that are counted separately; they bound the memory of a tally, whatever a service sends. */
export const keysMaximum = { rating: 20, product: 100_000, month: 1200 } as const;
/** UTF-16 units kept of a name. */
const nameLength = 200;

export interface TallyOptions {
  /** The time zone of months. */
  readonly timeZone: string;
  /** Products that are listed individually. */
  readonly top: number;
}

/**
 * Counts reviews by rating, product, month and media. Counts are exact; memory does not grow with the number of
 * reviews.
 */
export class ReviewTally {
  readonly #options: TallyOptions;
  readonly all = new Bucket('reviews', 'all reviews');
  readonly media = {
    photo: new Bucket('photo', 'with a photo'),
    video: new Bucket('video', 'with a video'),
    any: new Bucket('any', 'with a photo or video'),
  };
  readonly #ratings = new Buckets(keysMaximum.rating, (a, b) => Number(b.key) - Number(a.key));
  readonly #products = new Buckets(keysMaximum.product, (a, b) => b.count - a.count);
  readonly #months = new Buckets(keysMaximum.month, (a, b) => (a.name < b.name ? -1 : 1));

  constructor(options: TallyOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.all.count;
  }

  add(review: JsonObject): void {
    const rating = ratingOf(review['rating']);
    const media = { hasPhoto: isFilled(review['images']), hasVideo: isFilled(review['videos']) };
    const { hasPhoto, hasVideo } = media;
    this.all.add(rating, media);
    if (hasPhoto) this.media.photo.add(rating, media);
    if (hasVideo) this.media.video.add(rating, media);
    if (hasPhoto || hasVideo) this.media.any.add(rating, media);
    const product = textAt(review, 'product.originId') ?? textAt(review, 'product.id');
    this.#ratings.of(rating === undefined ? undefined : String(rating), `rated ${rating}`).add(rating, media);
    this.#products.of(product, textAt(review, 'product.name') ?? product).add(rating, media);
    this.#months.of(this.#monthOf(review['createdAt'])).add(rating, media);
  }

  /** The ratings, highest first; like months and products, without the reviews that have none. */
  get ratings(): readonly ReviewGroup[] {
    return this.#ratings.sorted;
  }

  /** The months, earliest first. */
  get months(): readonly ReviewGroup[] {
    return this.#months.sorted;
  }

  get productCount(): number {
    return this.#products.size;
  }

  /** The `top` products with the lowest ratings, weighted so that few reviews count less. */
  get worstProducts(): readonly ReviewGroup[] {
    const ofAll = this.all.ratingAverage ?? 0;
    const weighted = ({ rated, ratingSum }: Bucket) =>
      (ratingSum + ofAll * assumedReviews) / (rated + assumedReviews);
    return this.#products.sorted.sort((a, b) => weighted(a) - weighted(b)).slice(0, this.#options.top);
  }

  /** Products that `statistics` combines in one line. */
  get otherProducts(): number {
    return Math.max(0, this.productCount - this.#options.top);
  }

  /** All lines; those of ratings, products and months each add up to all reviews. */
  *statistics(): Generator<ReviewStatistic> {
    const total = this.count;
    yield this.all.statistic('all', total);
    for (const bucket of this.#ratings.lines()) yield bucket.statistic('rating', total);
    for (const bucket of Object.values(this.media)) yield bucket.statistic('media', total);
    for (const bucket of this.#products.lines(this.#options.top)) yield bucket.statistic('product', total);
    for (const bucket of this.#months.lines()) yield bucket.statistic('month', total);
  }

  #monthOf(time: Json | undefined): string | undefined {
    const timeMs = typeof time === 'string' ? instantMs(time) : Number.NaN;
    return Number.isNaN(timeMs)
      ? undefined
      : isoIn(timeMs, this.#options.timeZone).slice(0, 'YYYY-MM'.length);
  }
}

/** Some reviews: their number and ratings. */
class Bucket {
  readonly key: string | null;
  readonly name: string;
  count = 0;
  /** Number of reviews rated `lowRating` or less. */
  low = 0;
  /** Number of reviews with a photo. */
  photo = 0;
  video = 0;
  /** Number of reviews that have a rating. */
  rated = 0;
  ratingSum = 0;

  constructor(key: string | null, name: string) {
    this.key = key;
    this.name = name;
  }

  add(rating: number | undefined, { hasPhoto, hasVideo }: Media): void {
    this.count += 1;
    if (hasPhoto) this.photo += 1;
    if (hasVideo) this.video += 1;
    if (rating === undefined) return;
    this.rated += 1;
    this.ratingSum += rating;
    if (rating <= lowRating) this.low += 1;
  }

  include(other: Bucket): void {
    this.count += other.count;
    this.rated += other.rated;
    this.ratingSum += other.ratingSum;
  }

  /** Average of the reviews that have a rating. */
  get ratingAverage(): number | null {
    // Multiplied first: 4.225 as a fraction is a little less, and would be rounded down.
    return this.rated === 0 ? null : Math.round((100 * this.ratingSum) / this.rated) / 100;
  }

  statistic(group: ReviewStatistic['group'], total: number): ReviewStatistic {
    const { key, name, count, ratingAverage } = this;
    // Not rounded here: what shows it in percent would round it a second time.
    const share = total === 0 ? 0 : count / total;
    return { group, key, name, count, share, ratingAverage };
  }
}

/** Reviews by key, in an order. The rest are those without a key, and those whose key exceeds the maximum. */
class Buckets {
  readonly #maximum: number;
  readonly #order: (a: Bucket, b: Bucket) => number;
  readonly #byKey = new Map<string, Bucket>();
  readonly #rest = new Bucket(null, 'other');

  constructor(maximum: number, order: (a: Bucket, b: Bucket) => number) {
    this.#maximum = maximum;
    this.#order = order;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Those that have a key. */
  get sorted(): Bucket[] {
    return [...this.#byKey.values()].sort(this.#order);
  }

  /** The first `top`, and one for all others. */
  lines(top = this.#maximum): readonly Bucket[] {
    const { sorted } = this;
    const rest = new Bucket(null, this.#rest.name);
    for (const bucket of [this.#rest, ...sorted.slice(top)]) rest.include(bucket);
    return rest.count === 0 ? sorted : [...sorted.slice(0, top), rest];
  }

  /** The bucket of a key; the first review with the key gives it its name. */
  of(key: string | undefined, name = key): Bucket {
    if (key === undefined) return this.#rest;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= this.#maximum) return this.#rest;
    const bucket = new Bucket(key, (name ?? key).slice(0, nameLength));
    this.#byKey.set(key, bucket);
    return bucket;
  }
}

/** Services sometimes write numbers as text. */
function ratingOf(value: Json | undefined): number | undefined {
  const rating = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof rating === 'number' && Number.isFinite(rating) ? rating : undefined;
}

function isFilled(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}

function textAt(record: JsonObject, path: string): string | undefined {
  const text = textOf(valueAt(record, path));
  return text === '' ? undefined : text;
}
