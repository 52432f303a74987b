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

/** Reviews with the same key: their number, their ratings, and how many have media. */
export interface ReviewGroup {
  readonly key: string | null;
  readonly name: string;
  readonly count: number;
  /** Average of the reviews that have a rating. */
  readonly ratingAverage: number | null;
  /** Numbers of reviews rated 1, 2, 3, 4 and 5. */
  readonly ratings: readonly number[];
  readonly photo: number;
  readonly video: number;
  /** With a photo, a video or both. */
  readonly media: number;
}

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
  readonly #all = new Bucket('reviews', 'all reviews');
  readonly #media = {
    photo: new Bucket('photo', 'with a photo'),
    video: new Bucket('video', 'with a video'),
    any: new Bucket('any', 'with a photo or video'),
  };
  readonly #ratings = new Buckets(keysMaximum.rating);
  readonly #products = new Buckets(keysMaximum.product);
  readonly #months = new Buckets(keysMaximum.month);

  constructor(options: TallyOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#all.count;
  }

  add(review: JsonObject): void {
    const rating = ratingOf(review['rating']);
    const media = { hasPhoto: isFilled(review['images']), hasVideo: isFilled(review['videos']) };
    const { hasPhoto, hasVideo } = media;
    this.#all.add(rating, media);
    if (hasPhoto) this.#media.photo.add(rating, media);
    if (hasVideo) this.#media.video.add(rating, media);
    if (hasPhoto || hasVideo) this.#media.any.add(rating, media);
    const written = rating === undefined ? undefined : String(rating);
    this.#ratings.of(written, () => `rated ${rating}`).add(rating, media);
    const product = productOf(review);
    this.#products.of(product, () => textAt(review, 'product.name') ?? product ?? '').add(rating, media);
    const month = this.#monthOf(review['createdAt']);
    this.#months.of(month, () => month ?? '').add(rating, media);
  }

  get all(): ReviewGroup {
    return this.#all;
  }

  /** The months, earliest first; reviews without one are not included. */
  get months(): readonly ReviewGroup[] {
    return this.#months.groups().toSorted(byName);
  }

  get productCount(): number {
    return this.#products.size;
  }

  /** The `top` products with the lowest ratings, weighted so that few reviews count less. */
  get worstProducts(): readonly ReviewGroup[] {
    const { ratingAverage: ofAll } = this.all;
    const weighted = ({ ratingAverage, ratings }: ReviewGroup) => {
      const count = ratings.reduce((sum, of) => sum + of, 0);
      return ((ratingAverage ?? 0) * count + (ofAll ?? 0) * assumedReviews) / (count + assumedReviews);
    };
    return this.#products
      .groups()
      .filter(({ ratingAverage }) => ratingAverage !== null)
      .toSorted((a, b) => weighted(a) - weighted(b))
      .slice(0, this.#options.top);
  }

  /** Products that `statistics` combines in one line. */
  get otherProducts(): number {
    return Math.max(0, this.#products.size - this.#options.top);
  }

  /** All lines; those of ratings, products and months each add up to all reviews. */
  *statistics(): Generator<ReviewStatistic> {
    const total = this.#all.count;
    yield this.#all.statistic('all', total);
    yield* this.#ratings.statistics('rating', total, (a, b) => Number(b.key) - Number(a.key));
    for (const bucket of Object.values(this.#media)) yield bucket.statistic('media', total);
    yield* this.#products.statistics('product', total, (a, b) => b.count - a.count, this.#options.top);
    yield* this.#months.statistics('month', total, byName);
  }

  #monthOf(time: Json | undefined): string | undefined {
    const timeMs = typeof time === 'string' ? instantMs(time) : Number.NaN;
    return Number.isNaN(timeMs)
      ? undefined
      : isoIn(timeMs, this.#options.timeZone).slice(0, 'YYYY-MM'.length);
  }
}

function byName(one: ReviewGroup, other: ReviewGroup): number {
  return one.name < other.name ? -1 : 1;
}

/** Reviews by key. The rest are those without a key, and those whose key exceeds the maximum. */
class Buckets {
  readonly #maximum: number;
  readonly #byKey = new Map<string, Bucket>();
  readonly #rest = new Bucket(null, 'other');

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** The groups that have a key. */
  groups(): readonly ReviewGroup[] {
    return [...this.#byKey.values()];
  }

  /** The first `top` lines in this order, and one for all others. */
  *statistics(
    group: ReviewStatistic['group'],
    total: number,
    order: (a: Bucket, b: Bucket) => number,
    top = this.#maximum,
  ): Generator<ReviewStatistic> {
    const buckets = [...this.#byKey.values()].toSorted(order);
    for (const bucket of buckets.slice(0, top)) yield bucket.statistic(group, total);
    const rest = new Bucket(null, this.#rest.name);
    for (const bucket of [this.#rest, ...buckets.slice(top)]) rest.include(bucket);
    if (rest.count > 0) yield rest.statistic(group, total);
  }

  /** The bucket of a key; the first review with the key gives it its name. */
  of(key: string | undefined, name: () => string): Bucket {
    if (key === undefined) return this.#rest;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= this.#maximum) return this.#rest;
    const bucket = new Bucket(key, name().slice(0, nameLength));
    this.#byKey.set(key, bucket);
    return bucket;
  }
}

/** Some reviews: their number, ratings and media. */
class Bucket implements ReviewGroup {
  readonly key: string | null;
  readonly name: string;
  readonly ratings = [0, 0, 0, 0, 0];
  count = 0;
  photo = 0;
  video = 0;
  media = 0;
  #rated = 0;
  #ratingSum = 0;

  constructor(key: string | null, name: string) {
    this.key = key;
    this.name = name;
  }

  add(rating: number | undefined, { hasPhoto, hasVideo }: Media): void {
    this.count += 1;
    if (hasPhoto) this.photo += 1;
    if (hasVideo) this.video += 1;
    if (hasPhoto || hasVideo) this.media += 1;
    if (rating === undefined) return;
    this.#rated += 1;
    this.#ratingSum += rating;
    const known = this.ratings[rating - 1];
    if (known !== undefined) this.ratings[rating - 1] = known + 1;
  }

  include(other: Bucket): void {
    this.count += other.count;
    this.#rated += other.#rated;
    this.#ratingSum += other.#ratingSum;
  }

  get ratingAverage(): number | null {
    return this.#rated === 0 ? null : rounded(this.#ratingSum / this.#rated, 2);
  }

  statistic(group: ReviewStatistic['group'], total: number): ReviewStatistic {
    const { key, name, count, ratingAverage } = this;
    const share = total === 0 ? 0 : rounded(count / total, 4);
    return { group, key, name, count, share, ratingAverage };
  }
}

function rounded(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** Services sometimes write numbers as text. */
function ratingOf(value: Json | undefined): number | undefined {
  const rating = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof rating === 'number' && Number.isFinite(rating) ? rating : undefined;
}

/** The id of the reviewed product. */
function productOf(review: JsonObject): string | undefined {
  return textAt(review, 'product.originId') ?? textAt(review, 'product.id');
}

function isFilled(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}

function textAt(record: JsonObject, path: string): string | undefined {
  const text = textOf(valueAt(record, path));
  return text === '' ? undefined : text;
}
