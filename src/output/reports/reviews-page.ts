import { counted, grouped } from '../terminal/totals.ts';
import { type Cell, dataTable } from './data-table.ts';
import type { Html } from './html.ts';
import { type Page, section } from './page.ts';
import type { Tone } from './page-style.ts';
import { lowRating, type ReviewGroup, type ReviewTally } from './review-tally.ts';

/** The data of a report of reviews. */
export interface ReviewsReport {
  readonly tally: ReviewTally;
  /** The filters in words; empty for none. */
  readonly filters: string;
  readonly footer: string;
}

/** The newest months that are listed. */
const monthsShown = 60;

/** The page about the reviews of a shop. */
export function reviewsPage({ tally, filters, footer }: ReviewsReport): Page {
  const { all, months, media } = tally;
  const { count, low, ratingAverage } = all;
  return {
    kind: 'Review report',
    title: 'What consumers say',
    lead: [periodOf(months), filters].filter((text) => text !== '').join('; '),
    figures: [
      { name: 'Reviews', value: grouped(count), note: `of ${counted(tally.productCount, 'product')}` },
      { name: 'Average rating', value: ratingAverage?.toFixed(2) ?? '–' },
      {
        name: `Rated ${lowRating} or less`,
        value: percent(low, count),
        note: `${grouped(low)} reviews`,
        tone: low === 0 ? undefined : 'bad',
      },
      {
        name: 'With photo or video',
        value: percent(media.any.count, count),
        note: `photo ${percent(media.photo.count, count)}, video ${percent(media.video.count, count)}`,
      },
    ],
    sections:
      count === 0
        ? [section('Reviews', 'No review matches the filters.')]
        : [ratingSection(tally), monthSection(months), productSection(tally)],
    footer,
  };
}

function periodOf(months: readonly ReviewGroup[]): string {
  const [first, last] = [months[0]?.name, months.at(-1)?.name];
  if (first === undefined || last === undefined) return '';
  return first === last ? `Reviews of ${first}` : `Reviews of ${first} to ${last}`;
}

function percent(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : Math.round(1000 * (part / whole)) / 10).toFixed(1)} %`;
}

function shareCell(part: number, whole: number, tone: Tone): Cell {
  return { text: percent(part, whole), bar: { share: part / whole, tone } };
}

const ratingMaximum = 5;

function averageCell({ ratingAverage }: ReviewGroup): Cell {
  if (ratingAverage === null) return null;
  return { text: ratingAverage.toFixed(2), bar: { share: ratingAverage / ratingMaximum, tone: 'accent' } };
}

function ratingSection({ all, ratings }: ReviewTally): Html {
  const table = dataTable({
    caption: 'Reviews by rating',
    columns: ['Rating', 'reviews', 'share'],
    rows: ratings.map(({ name, low, count }) => [
      name,
      count,
      shareCell(count, all.count, low > 0 ? 'bad' : 'accent'),
    ]),
  });
  return section('Ratings', undefined, table);
}

const groupColumns = ['reviews', 'average', `rated ${lowRating} or less`, 'with a photo', 'with a video'];

function groupCells(group: ReviewGroup): readonly Cell[] {
  const { low, photo, video, count } = group;
  return [
    count,
    averageCell(group),
    shareCell(low, count, 'bad'),
    shareCell(photo, count, 'accent'),
    shareCell(video, count, 'accent'),
  ];
}

function monthSection(months: readonly ReviewGroup[]): Html {
  const older =
    months.length > monthsShown ? `The last ${monthsShown} of ${grouped(months.length)} months.` : undefined;
  const table = dataTable({
    caption: 'Ratings by month',
    columns: ['Month', ...groupColumns],
    rows: months.slice(-monthsShown).map((month) => [month.name, ...groupCells(month)]),
  });
  return section('Ratings by month', older, table);
}

function productSection({ worstProducts, productCount }: ReviewTally): Html {
  const more = productCount - worstProducts.length;
  const table = dataTable({
    caption: 'Products, the worst first',
    columns: ['Product', 'Origin id', ...groupColumns],
    rows: worstProducts.map((product) => [product.name, product.key ?? '', ...groupCells(product)]),
  });
  return section(
    'Products, the worst first',
    'By average rating. A product with few reviews counts less, so one bad review alone does not put it first.' +
      (more > 0 ? ` ${counted(more, 'more product')}; --limit lists more.` : ''),
    table,
  );
}
