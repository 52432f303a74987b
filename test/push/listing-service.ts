import { createApi } from '../../src/client/caller.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { OperationName } from '../../src/contract/operations.ts';
import type { Transport } from '../../src/contract/wire.ts';
import type { KnownRecord } from '../../src/store/journal/push-journal.ts';
import { replyOf } from '../client/scripted-transport.ts';

/** The records of a list by its query, or the status of a refusal. */
type Listed = (query: URLSearchParams) => readonly object[] | number;

interface Shown {
  readonly lists?: Partial<Record<OperationName, Listed>>;
  /** Records or HTTP statuses by the last id of their paths; any other is 404. */
  readonly records?: Readonly<Record<string, object | number>>;
}

/** A service in process with these lists, page by page, and these records; `asked` records the requested paths. */
export function listingService({ lists = {}, records = {} }: Shown) {
  const asked: string[] = [];
  const transport: Transport = ({ operation, path }) => {
    asked.push(decodeURIComponent(path.replace('/admin/v2/', '')));
    const { pathname, searchParams } = new URL(path, 'http://service');
    const list = lists[operation as OperationName];
    const answer = list?.(searchParams) ?? records[pathname.split('/').at(-1) ?? ''] ?? 404;
    if (typeof answer === 'number') return Promise.resolve(replyOf(answer));
    return Promise.resolve(replyOf(200, list === undefined ? answer : pageOf(answer as [], searchParams)));
  };
  return { api: createApi({ transport, assumptions: defaultAssumptions }), asked };
}

function pageOf(records: readonly object[], query: URLSearchParams) {
  const start = Number(query.get('after') ?? 0);
  const end = start + Number(query.get('first'));
  const pageInfo = { hasNextPage: end < records.length, endCursor: String(end) };
  return { totalCount: records.length, data: records.slice(start, end), pageInfo };
}

/** A service that lists products with these originIds; a filter only finds those for which `isFound` is true. */
export function listingProducts(
  originIds: readonly (string | null)[],
  isFound: (originId: string) => boolean = () => true,
) {
  const products = originIds.map((originId, index) => ({ id: `i${index}`, originId, name: 'Mug' }));
  const found = (asked: readonly string[]) =>
    products.filter(({ originId }) => originId !== null && asked.includes(originId) && isFound(originId));
  return listingService({
    lists: {
      listProducts: (query) => (query.has('originIds') ? found(query.getAll('originIds')) : products),
    },
    records: Object.fromEntries(products.map((product) => [product.id, product])),
  });
}

/** A review. Its order alone decides in which lists it appears. */
export interface NamedReview {
  readonly id: string;
  readonly order?: { readonly id?: string | null; readonly originId?: string } | null;
  readonly orderItem?: object | null;
  readonly product?: object;
}

/** The reviews of the orders in a query, and reviews without an order. */
export function reviewsAsked(
  query: URLSearchParams,
  reviews: readonly NamedReview[],
): readonly NamedReview[] {
  const asked: readonly unknown[] = [...query.getAll('orderOriginIds'), undefined];
  return reviews.filter(({ order }) => asked.includes(order?.originId));
}

/** Journal records: accepted, with these changes. */
export function knownRecords(
  records: Readonly<Record<string, Partial<KnownRecord>>>,
): ReadonlyMap<string, KnownRecord> {
  const accepted: KnownRecord = { fate: 'accepted', contentHash: 'h', jobId: 'J' };
  return new Map(Object.entries(records).map(([originId, record]) => [originId, { ...accepted, ...record }]));
}
