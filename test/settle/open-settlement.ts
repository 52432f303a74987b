import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import { createApi } from '../../src/client/caller.ts';
import { wrap } from '../../src/client/open-service.ts';
import { type Assumptions, defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { RewardStatus } from '../../src/contract/states.ts';
import type { Transport, WireRequest } from '../../src/contract/wire.ts';
import type { Payer } from '../../src/payer/payer.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { createRewardService } from '../../src/settle/flow/reward-service.ts';
import type { SettledReward } from '../../src/settle/flow/settle-reward.ts';
import { type SettleOptions, settleRewards } from '../../src/settle/flow/settle-rewards.ts';
import type { RewardOutcome, Settlement } from '../../src/settle/flow/settlement.ts';
import { openSqliteLedger } from '../../src/store/ledger/ledger-file.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { RacingClock } from '../push/racing-clock.ts';
import { transportOf } from '../sandbox/in-process.ts';
import { createLedger } from '../store/open-ledger-place.ts';
import { openPolicy } from './open-policy.ts';
import { type ScriptedPayer, scriptedPayer } from './scripted-payer.ts';

export type SettlementWorld = Awaited<ReturnType<typeof openSettlement>>;

export interface Settled {
  readonly outcomes: readonly RewardOutcome[];
  readonly settled: readonly SettledReward[];
  /** The error that ended the run early. */
  readonly error?: unknown;
}

export interface WorldOptions extends SandboxOptions {
  /** Wraps the transport between the client and the sandbox. */
  readonly around?: (transport: Transport) => Transport;
  readonly taken?: Partial<Assumptions>;
}

/**
 * A sandbox in process with `reviews` rewards behind the real client, and a ledger file that is removed after the test.
 */
export async function openSettlement({
  around = (transport) => transport,
  taken,
  reviews = 5,
  seed = 2,
  ...options
}: WorldOptions = {}) {
  const clock = new RacingClock();
  const random = seededRandom(seed);
  const sandbox = await createSandbox({ clock, products: 5, orders: reviews + 5, reviews, seed, ...options });
  onTestFinished(() => sandbox.close());
  /** Every request to the service in order, including retries. */
  const requests: WireRequest[] = [];
  const service = around(transportOf(sandbox));
  const recorded: Transport = (request, signal) => {
    requests.push(request);
    return service(request, signal);
  };
  const assumptions = { ...defaultAssumptions, ...options.assumptions, ...taken };
  const { transport } = wrap(recorded, { token: sandbox.token, assumptions, retries: 2, clock, random });
  const api = createApi({ transport, assumptions });
  const folder = temporaryFolder();
  const path = join(folder, 'ledger.db');
  const marksPath = join(folder, 'marks.db');
  await createLedger(path, { origin: 'https://service.example', shop: 'shop', marksPath, clock });
  const ledger = await openSqliteLedger(path, { clock });
  onTestFinished(() => ledger.close());
  let runs = 0;
  /** A settlement with a new run; overrides change parts of it. */
  const settlement = (payer: Payer, overrides: Partial<Settlement> = {}): Settlement => {
    runs += 1;
    const run = overrides.run ?? `run-${runs}`;
    return {
      ledger,
      payer,
      service: createRewardService(api, { run, now: () => clock.now() }),
      policy: openPolicy,
      run,
      beganMs: clock.now(),
      isOwnerAlive: async () => false,
      claimLeaseMs: 15_000,
      refusedStatus: 'CANCELLED',
      clock,
      random,
      stopping: new AbortController().signal,
      ...overrides,
    };
  };
  /** Settles with this payer; returns all outcomes and the error, if any. */
  const settle = async (
    payer: Payer = scriptedPayer({}),
    {
      expectation = { total: null, count: null },
      concurrency = 4,
      ...overrides
    }: Partial<Settlement & SettleOptions> = {},
  ): Promise<Settled> => {
    const settled: SettledReward[] = [];
    const end = (error?: unknown) => ({
      outcomes: settled.map(({ outcome }) => outcome),
      settled,
      ...(error === undefined ? {} : { error }),
    });
    try {
      const run = settleRewards(settlement(payer, overrides), { expectation, concurrency });
      for await (const reward of run) settled.push(reward);
      return end();
    } catch (error) {
      return end(error);
    }
  };
  return { sandbox, ledger, clock, api, requests, settlement, settle };
}

/** QUEUED rewards of 500 for members, ordered by id. */
export async function openMembers(options: WorldOptions = {}) {
  const world = await openSettlement({ reviews: 4, ...options });
  world.sandbox.transact(({ state: { rewards, orders } }) => {
    for (const reward of rewards.values()) rewards.put({ ...reward, amount: 500, status: 'QUEUED' });
    for (const order of orders.values())
      orders.put({ ...order, memberOriginId: order.memberOriginId ?? 'M1' });
  });
  const rewardIds = [...world.sandbox.state.rewards.values()].map(({ id }) => id).toSorted();
  /** Changes the service's data about these rewards. */
  const put = (
    changes: { readonly amount?: number; readonly status?: RewardStatus },
    ids: readonly string[] = rewardIds,
  ) =>
    world.sandbox.transact(({ state: { rewards } }) => {
      for (const id of ids) {
        const reward = rewards.get(id);
        if (reward !== undefined) rewards.put({ ...reward, ...changes });
      }
    });
  const reports = () => world.requests.filter(({ method }) => method === 'PATCH').length;
  return { ...world, rewardIds, put, reports };
}

export function statuses({ state }: Sandbox): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of state.rewards.values()) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Number of outcomes by word. */
export function words(outcomes: readonly RewardOutcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** The highest number of payments for one reward. */
export function mostEffects({ effects }: ScriptedPayer): number {
  return Math.max(0, ...effects.values());
}
