import { grouped } from '../terminal/totals.ts';
import { chartFigure } from './chart.ts';
import { type Cell, type CellValue, dataTable } from './data-table.ts';
import { type Html, html } from './html.ts';
import { type Page, section } from './page.ts';
import type { ReviewGroup } from './review-tally.ts';

/** The data of a report of reviews. */
export interface ReviewsReport {
  readonly all: ReviewGroup;
  /** Months as `2026-11`, the earliest first. */
  readonly months: readonly ReviewGroup[];
  /** The products with the lowest ratings, the worst first. */
  readonly worst: readonly ReviewGroup[];
  /** Number of products that have reviews. */
  readonly productCount: number;
  /** The filters in words; empty for none. */
  readonly filters: string;
  readonly footer: string;
}

/** The highest rating that counts as low. */
const lowRating = 2;
/** Products that are drawn, of those in the table. */
const drawnProducts = 15;
/** The newest months, which are drawn and listed. */
const monthsShown = 60;

/** The page about the reviews of a shop. */
export function reviewsPage(report: ReviewsReport): Page {
  const { all, months, worst, productCount, filters, footer } = report;
  const { count, ratingAverage, ratings, media, photo, video } = all;
  const low = sumOf(ratings.slice(0, lowRating));
  const shown = months.slice(-monthsShown);
  return {
    kind: 'Review report',
    title: 'What consumers say',
    lead: [periodOf(months), filters].filter((text) => text !== '').join('; '),
    figures: [
      { name: 'Reviews', value: grouped(count), note: `of ${grouped(productCount)} products` },
      { name: 'Average rating', value: ratingAverage === null ? '–' : ratingAverage.toFixed(2) },
      {
        name: `Rated ${lowRating} or less`,
        value: percent(low, count),
        note: `${grouped(low)} reviews`,
        tone: low === 0 ? undefined : 'bad',
      },
      {
        name: 'With photo or video',
        value: percent(media, count),
        note: `photo ${percent(photo, count)}, video ${percent(video, count)}`,
      },
    ],
    sections:
      count === 0
        ? [section('Reviews', 'No review matches the filters.')]
        : [
            section('Ratings', undefined, ratingsFigure(all)),
            section('Ratings by month', olderNote(months.length), monthsFigure(shown)),
            section('Photos and videos by month', olderNote(months.length), mediaFigure(shown)),
            section(
              'Products, the worst first',
              'By average rating; few reviews weigh less, so that one bad review alone does not lead the list.',
              ...productParts(worst, productCount),
            ),
          ],
    footer,
  };
}

function periodOf(months: readonly ReviewGroup[]): string {
  const [first, last] = [months[0]?.name, months.at(-1)?.name];
  if (first === undefined || last === undefined) return '';
  return first === last ? `Reviews of ${first}` : `Reviews of ${first} to ${last}`;
}

function olderNote(count: number): string | undefined {
  return count > monthsShown ? `The last ${monthsShown} of ${grouped(count)} months.` : undefined;
}

const ratingTones = ['rate1', 'rate2', 'rate3', 'rate4', 'rate5'] as const;

/** One column for each rating, so that a chart shows their distribution. */
function ratingColumns(groups: readonly ReviewGroup[]) {
  return ratingTones.map((tone, index) => ({
    header: String(index + 1),
    name: `rated ${index + 1}`,
    tone,
    cells: groups.map(({ ratings }) => ratings[index] ?? 0),
  }));
}

function average({ ratingAverage }: ReviewGroup): CellValue {
  return ratingAverage === null ? null : { text: ratingAverage.toFixed(2), value: ratingAverage };
}

function shareCell(part: number, whole: number): Cell {
  return { text: percent(part, whole), value: whole === 0 ? 0 : part / whole };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function percent(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)} %`;
}

function ratingsFigure({ ratings, count }: ReviewGroup): Html {
  const counts = ratings.toReversed();
  return chartFigure({
    kind: 'rows',
    title: 'Reviews by rating',
    of: 'Rating',
    labels: [5, 4, 3, 2, 1].map((rating) => `rated ${rating}`),
    columns: [
      { header: 'reviews', tone: ratingTones.toReversed(), cells: counts },
      { header: 'share', cells: counts.map((of) => shareCell(of, count)) },
    ],
  });
}

function monthsFigure(months: readonly ReviewGroup[]): Html {
  return chartFigure({
    kind: 'columns',
    title: 'Reviews by month and rating, 1 to 5',
    of: 'Month',
    labels: months.map(({ name }) => name),
    columns: [
      { header: 'reviews', cells: months.map(({ count }) => count) },
      { header: 'average', cells: months.map(average) },
      ...ratingColumns(months),
    ],
  });
}

function mediaFigure(months: readonly ReviewGroup[]): Html {
  return chartFigure({
    kind: 'lines',
    title: 'Share of reviews with photo and video by month',
    of: 'Month',
    labels: months.map(({ name }) => name),
    columns: [
      { header: 'reviews', cells: months.map(({ count }) => count) },
      {
        header: 'with a photo',
        tone: 'fine',
        cells: months.map(({ photo, count }) => shareCell(photo, count)),
      },
      {
        header: 'with a video',
        tone: 'odd',
        cells: months.map(({ video, count }) => shareCell(video, count)),
      },
    ],
    inWords: (share) => `${Math.round(100 * share)} %`,
  });
}

function productParts(worst: readonly ReviewGroup[], productCount: number): readonly Html[] {
  const drawn = worst.slice(0, drawnProducts);
  const rated = drawn.map(({ ratings }) => Math.max(1, sumOf(ratings)));
  const figure = chartFigure({
    kind: 'rows',
    title: `Ratings of the ${drawn.length} worst products`,
    of: 'Product',
    labels: drawn.map(({ name }) => name),
    columns: ratingColumns(drawn).map((column) => ({
      ...column,
      drawn: column.cells.map((count, index) => count / (rated[index] ?? 1)),
    })),
    inWords: (share) => `${Math.round(100 * share)} %`,
    maximum: 1,
  });
  const shown =
    worst.length < productCount ? `: the first ${grouped(worst.length)} of ${grouped(productCount)}` : '';
  const table = dataTable({
    caption: `Products, the worst first${shown}`,
    columns: ['Product', 'Origin id', 'reviews', 'average', `rated ${lowRating} or less`, 'photo or video'],
    rows: worst.map((product) => [
      product.name,
      product.key ?? '',
      product.count,
      average(product),
      shareCell(sumOf(product.ratings.slice(0, lowRating)), product.count),
      shareCell(product.media, product.count),
    ]),
  });
  const more =
    worst.length < productCount
      ? html`<p class="note">${`${grouped(productCount - worst.length)} more products; --limit lists more.`}</p>`
      : undefined;
  return [figure, html`<h3>All of them</h3>`, table, ...(more === undefined ? [] : [more])];
}
