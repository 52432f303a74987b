import type { JsonObject } from '../../base/json.ts';
import { instantMs } from '../../base/korean-time.ts';
import { mapConcurrently, streamOf } from '../../base/lists.ts';
import { parseMoney } from '../../base/money.ts';
import type { Api } from '../../client/caller.ts';
import { type ListQuery, paginate } from '../../client/paginate.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import type { Reward } from '../../contract/resources.ts';
import type { RewardStatus } from '../../contract/states.ts';
import type { Observation } from '../../store/ledger/ledger.ts';
import { joinedObservation } from '../rules/reward-terms.ts';

/** A reward as the service shows it now. */
export interface ObservedReward {
  readonly rewardId: string;
  readonly seen: Observation;
}

/**
 * The rewards of the service, as a settlement needs them. Every method throws the ServiceFailure of the calls
 * behind it.
 */
export interface RewardService {
  /** All rewards that wait for payment, page by page. Rewards that change status meanwhile may be skipped. */
  queued(): AsyncGenerator<readonly ObservedReward[]>;
  /** All rewards, of one status or of any, page by page. */
  all(status?: RewardStatus): AsyncGenerator<readonly ObservedReward[]>;
  /**
   * The reward in any status; undefined where the service does not show it. `hint` is any known document of
   * it. `status` limits the search, so that a missing reward does not cost a read of the whole list; a reward
   * of another status may still be found.
   */
  find(rewardId: string, hint: JsonObject, status?: RewardStatus): Promise<ObservedReward | undefined>;
  /**
   * Those of several rewards, in any status, that the service shows; `hints` has any known document of each. Where
   * single rewards cannot be fetched, a list of about their time is read once for all, and the whole one if some are
   * not on it. Incomplete if `stopping` is aborted meanwhile.
   */
  findAll(
    hints: ReadonlyMap<string, JsonObject>,
    stopping: AbortSignal,
  ): Promise<ReadonlyMap<string, ObservedReward>>;
  /** Reports the outcome of the payment (API 4.19); may be repeated. */
  update(rewardId: string, status: RewardStatus): Promise<ObservedReward>;
  /** Whether a single reward can be fetched without a list. */
  readonly canFindOne: boolean;
}

/** The margin of the date filters around the date of the review (assumption `rewardTimeMeans`). */
const dayMs = 24 * 60 * 60 * 1000;
/** No review is later; beyond this instant, dates have another notation or none. */
const latestMs = Date.parse('9999-12-30T00:00:00Z');

/** Requests for single rewards at once. */
const lookUpsAtOnce = 8;

interface RewardServiceOptions {
  /** Noted on every observation. */
  readonly run: string;
  /** Gives the instant of an observation, which is before the request. */
  readonly now: () => number;
  readonly signal?: AbortSignal;
  readonly onPage?: (page: ReadRewards) => void;
}

/** How far a list of rewards has been read. */
export interface ReadRewards {
  /** Undefined for rewards of any status. */
  readonly status: RewardStatus | undefined;
  readonly done: number;
  /** All that match, if the service says it. */
  readonly total: number | undefined;
}

export function createRewardService(api: Api, options: RewardServiceOptions): RewardService {
  const { run, now, signal } = options;
  const list = (query: ListQuery<'listRewards'>) => listRewards(api, options, query);

  async function findOne(rewardId: string): Promise<ObservedReward | undefined> {
    const atMs = now();
    try {
      const { value, sent } = await api.call('getReward', { params: { rewardId } }, signal);
      return seenReward(value, sent as JsonObject, { run, atMs });
    } catch (error) {
      if (error instanceof ServiceFailure && error.kind === 'not-found') return undefined;
      throw error;
    }
  }

  async function findListed(
    hints: ReadonlyMap<string, JsonObject>,
    among: ListQuery<'listRewards'>,
    stopping?: AbortSignal,
  ): Promise<Map<string, ObservedReward>> {
    const found = new Map<string, ObservedReward>();
    const around = datesAround([...hints.values()]);
    for (const query of around === undefined ? [among] : [{ ...around, ...among }, among]) {
      for await (const page of list(query)) {
        for (const reward of page)
          if (hints.has(reward.rewardId)) found.set(reward.rewardId, joined(reward, found));
        if (stopping?.aborted || found.size === hints.size) return found;
      }
    }
    return found;
  }

  const canFindOne = api.supports('getReward');
  const find: RewardService['find'] = async (rewardId, hint, status) => {
    if (canFindOne && isPathSegment(rewardId)) return findOne(rewardId);
    const found = await findListed(new Map([[rewardId, hint]]), status === undefined ? {} : { status });
    return found.get(rewardId);
  };

  return {
    canFindOne,
    queued: () => list({ status: 'QUEUED' }),
    all: (status) => list(status === undefined ? {} : { status }),
    find,
    findAll: async (hints, stopping) => {
      if (!canFindOne) return findListed(hints, {}, stopping);
      const looks = mapConcurrently(streamOf(hints), { width: lookUpsAtOnce }, async ([rewardId, hint]) =>
        stopping.aborted ? undefined : find(rewardId, hint),
      );
      const found = new Map<string, ObservedReward>();
      for await (const reward of looks) if (reward !== undefined) found.set(reward.rewardId, reward);
      return found;
    },
    update: async (rewardId, status) => {
      const atMs = now();
      const { value, sent } = await api.call('updateReward', { params: { rewardId }, body: { status } });
      return seenReward(value, sent as JsonObject, { run, atMs });
    },
  };
}

async function* listRewards(
  api: Api,
  { run, now, signal, onPage }: RewardServiceOptions,
  query: ListQuery<'listRewards'>,
): AsyncGenerator<readonly ObservedReward[]> {
  let atMs = now();
  let done = 0;
  for await (const { records, sent, totalCount } of paginate(
    api,
    'listRewards',
    query,
    signal ? { signal } : {},
  )) {
    const seenAtMs = atMs;
    // The next page was requested when this one arrived.
    atMs = now();
    done += records.length;
    onPage?.({ status: query.status, done, total: totalCount ?? undefined });
    yield records.map((reward, index) => seenReward(reward, sent[index] ?? {}, { run, atMs: seenAtMs }));
  }
}

/** A reward with what earlier pages showed of it. */
function joined(
  { rewardId, seen }: ObservedReward,
  found: ReadonlyMap<string, ObservedReward>,
): ObservedReward {
  const known = found.get(rewardId);
  return { rewardId, seen: known === undefined ? seen : joinedObservation(known.seen, seen) };
}

function seenReward(
  reward: Reward,
  sent: JsonObject,
  { run, atMs }: { readonly run: string; readonly atMs: number },
): ObservedReward {
  const { id, amount, status, order } = reward;
  const seen = {
    atMs,
    run,
    status: status ?? '',
    amount: (amount == null ? undefined : parseMoney(amount)) ?? null,
    memberOriginId: readableName(order?.memberOriginId),
    document: JSON.stringify(sent),
  };
  return { rewardId: id, seen };
}

/** A member is not paid if a database or a payer might alter the id. An order with such an id is ignored. */
function readableName(name: string | null | undefined): string | null {
  return name?.isWellFormed() && name !== '' && !name.includes('\0') ? name : null;
}

/**
 * Filters that find rewards by the dates of their reviews, with a day's margin on both sides; undefined where none has
 * such a date.
 */
function datesAround(hints: readonly JsonObject[]): ListQuery<'listRewards'> | undefined {
  const datesMs = hints.flatMap((hint) => reviewMs(hint) ?? []);
  if (datesMs.length === 0) return undefined;
  const [firstMs, lastMs] = [Math.min(...datesMs), Math.max(...datesMs)];
  return {
    createdAtStart: new Date(firstMs - dayMs).toISOString(),
    createdAtEnd: new Date(lastMs + dayMs).toISOString(),
  };
}

function reviewMs({ review }: JsonObject): number | undefined {
  const createdAt =
    typeof review === 'object' && review !== null && 'createdAt' in review ? review.createdAt : null;
  const atMs = typeof createdAt === 'string' ? instantMs(createdAt) : Number.NaN;
  return atMs >= 0 && atMs <= latestMs ? atMs : undefined;
}
