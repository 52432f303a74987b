import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { JsonObject } from '../../base/json.ts';
import { instantMs } from '../../base/korean-time.ts';
import { mapConcurrently, streamOf } from '../../base/lists.ts';
import { parseMoney } from '../../base/money.ts';
import type { Api } from '../../client/caller.ts';
import { type ListQuery, paginate } from '../../client/paginate.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import { createTotalCheck } from '../../client/total-check.ts';
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

/** The rewards of the service, as a settlement needs them. Every method throws the ServiceFailure of its calls. */
export interface RewardService {
  /**
   * All rewards that wait for payment, page by page. May skip rewards that change status meanwhile. `onShort` is
   * called after the last page if the list has fewer rewards than its total, or one without a readable id.
   */
  queued(onShort?: (failure: Failure) => void): AsyncGenerator<readonly ObservedReward[]>;
  /** All rewards, optionally of one status, page by page. */
  all(status?: RewardStatus): AsyncGenerator<readonly ObservedReward[]>;
  /**
   * Finds the reward in any status; undefined if the service does not show it. `hint` is any known document of the
   * reward. `status` limits the search, to avoid reading the whole list for a missing reward; a reward with another
   * status may still be found.
   */
  find(rewardId: string, hint: JsonObject, status?: RewardStatus): Promise<ObservedReward | undefined>;
  /**
   * Finds several rewards, in any status, and omits those that the service does not show. `hints` has any known
   * document of each. If single rewards cannot be fetched, reads one list around their dates, then the whole list if
   * some are missing. Incomplete if `stopping` is aborted meanwhile.
   */
  findAll(
    hints: ReadonlyMap<string, JsonObject>,
    stopping: AbortSignal,
  ): Promise<ReadonlyMap<string, ObservedReward>>;
  /** Reports the outcome of the payment (API 4.19). Safe to repeat. */
  update(rewardId: string, status: RewardStatus): Promise<ObservedReward>;
  /** True if a single reward can be fetched without a list. */
  readonly canFindOne: boolean;
}

/** The margin of the date filters around the date of the review (assumption `rewardTimeMeans`). */
const dayMs = 24 * 60 * 60 * 1000;
/** No review is later. Dates beyond this instant have another notation, or none. */
const latestMs = Date.parse('9999-12-30T00:00:00Z');

/** Concurrent requests for single rewards. */
const lookUpsAtOnce = 8;

interface RewardServiceOptions {
  /** Recorded in every observation. */
  readonly run: string;
  /** Returns the instant of an observation, taken before the request. */
  readonly now: () => number;
  readonly signal?: AbortSignal;
  readonly onPage?: (page: ReadRewards) => void;
}

/** The progress of reading a list of rewards. */
export interface ReadRewards {
  /** Undefined if the list is of any status. */
  readonly status: RewardStatus | undefined;
  readonly done: number;
  /** The number of matching rewards, if the service reports it. */
  readonly total: number | undefined;
}

export function createRewardService(api: Api, options: RewardServiceOptions): RewardService {
  const { run, now, signal } = options;
  const list = (query: ListQuery<'listRewards'>, onShort?: (failure: Failure) => void) =>
    listRewards(api, options, query, onShort);

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
    queued: (onShort) => list({ status: 'QUEUED' }, onShort),
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
  onShort?: (failure: Failure) => void,
): AsyncGenerator<readonly ObservedReward[]> {
  let atMs = now();
  let done = 0;
  let isUnreadable = false;
  const check = createTotalCheck();
  for await (const page of paginate(api, 'listRewards', query, signal ? { signal } : {})) {
    const { records, sent, totalCount, unreadable = 0 } = page;
    check.page(page);
    isUnreadable ||= unreadable > 0;
    const seenAtMs = atMs;
    // The next page was requested when this one arrived.
    atMs = now();
    done += records.length;
    onPage?.({ status: query.status, done, total: totalCount ?? undefined });
    yield records.map((reward, index) => seenReward(reward, sent[index] ?? {}, { run, atMs: seenAtMs }));
  }
  if (isUnreadable || check.isShort()) onShort?.(shortList());
}

function shortList(): Failure {
  return new Failure(
    'inconsistent-list',
    'listRewards: the service has more QUEUED rewards than it shows with an id; the others are left out',
    hint`a later run decides on them once they are shown; if this persists, compare
      ${reviewctl`rewards list --status QUEUED`}, and report it to the operator of the service`,
    { operation: 'listRewards' },
  );
}

/** Joins a reward with its earlier observations in this list. */
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

/** The name, or null if it is unreadable: a database or a payer might alter such an id, so its member is not paid. */
function readableName(name: string | null | undefined): string | null {
  return name?.isWellFormed() && name !== '' && !name.includes('\0') ? name : null;
}

/**
 * Filters that find rewards by the dates of their reviews, with a margin of one day on both sides; undefined without
 * such dates.
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
