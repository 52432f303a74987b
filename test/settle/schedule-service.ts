import * as z from 'zod';
import type { JsonObject } from '../../src/base/json.ts';
import { parseMoney } from '../../src/base/money.ts';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { reward } from '../../src/contract/resources.ts';
import type { RewardStatus } from '../../src/contract/states.ts';
import type { ObservedReward, RewardService } from '../../src/settle/flow/reward-service.ts';
import type { WebhookReward } from '../../src/settle/webhook/verify-webhook.ts';
import type { LogLine } from '../campaign/settlement-logs.ts';
import type { Schedule } from './schedule.ts';

export interface ServiceHabits {
  readonly rewards: number;
  /** Percentage of lost requests, and of lost replies. */
  readonly lostPercent: number;
  /** True if the answer to a webhook changes the status of its reward. */
  readonly takesAnswers: boolean;
}

interface ServedReward {
  readonly id: string;
  readonly amount: number;
  readonly member: string;
  status: string;
}

/** Rewards of one page. */
const pageSize = 2;

/** The service: queued rewards, and requests and replies that may be lost. */
export class ScheduleService {
  readonly #schedule: Schedule;
  readonly #habits: ServiceHabits;
  readonly #log: (line: LogLine) => void;
  readonly #rewards: readonly ServedReward[];

  constructor(schedule: Schedule, habits: ServiceHabits, log: (line: LogLine) => void) {
    this.#schedule = schedule;
    this.#habits = habits;
    this.#log = log;
    this.#rewards = Array.from({ length: habits.rewards }, (_, index) => ({
      id: rewardId(index),
      amount: 100,
      // Two rewards of one member share a budget.
      member: `M${index % 2}`,
      status: 'QUEUED',
    }));
    for (const one of this.#rewards) this.#put(one, 'QUEUED');
  }

  /** True if the reward still waits for its payment. */
  isQueued(id: string): boolean {
    return this.#find(id)?.status === 'QUEUED';
  }

  /** The reward as a webhook call contains it. */
  called(id: string): WebhookReward {
    const sent = documentOf(this.#find(id) ?? unknownReward(id));
    return { sent, value: z.decode(reward(), sent as never) };
  }

  /** Logs the answer to a webhook as it leaves; null if there is none. */
  noteAnswer(id: string, status: number | null): void {
    this.#log({ what: 'ANSWER', reward: id, status, at: this.#schedule.nowMs });
  }

  /** Applies an answer that has arrived. */
  takeAnswer(id: string, status: number | null): void {
    const found = this.#find(id);
    if (!this.#habits.takesAnswers || found?.status !== 'QUEUED') return;
    this.#put(found, status === 200 ? 'SUCCESS' : 'FAILURE');
  }

  openFor({ run }: { readonly run: string }): RewardService {
    const list = (isListed: (one: ServedReward) => boolean) => this.#list(run, isListed);
    return {
      canFindOne: false,
      queued: () => list(({ status }) => status === 'QUEUED'),
      all: () => list(() => true),
      findAll: async (hints) => {
        const found = new Map<string, ObservedReward>();
        for await (const page of list(({ id }) => hints.has(id)))
          for (const one of page) found.set(one.rewardId, one);
        return found;
      },
      find: async (id, _hint, status) => {
        const atMs = this.#schedule.nowMs;
        const found = await this.#exchange(run, `looks for ${id}`, () => {
          const one = this.#find(id);
          return one && (status === undefined || one.status === status) ? seen(one, run, atMs) : undefined;
        });
        return found;
      },
      update: async (id, status) => {
        const atMs = this.#schedule.nowMs;
        return this.#exchange(run, `tells ${status} of ${id}`, () => this.#update(id, status, { run, atMs }));
      },
    };
  }

  async *#list(
    run: string,
    isListed: (one: ServedReward) => boolean,
  ): AsyncGenerator<readonly ObservedReward[]> {
    for (let first = 0; ; first += pageSize) {
      const atMs = this.#schedule.nowMs;
      const page = await this.#exchange(run, `lists rewards from ${first} on`, () =>
        this.#rewards
          .filter(isListed)
          .slice(first, first + pageSize)
          .map((one) => seen(one, run, atMs)),
      );
      if (page.length > 0) yield page;
      if (page.length < pageSize) return;
    }
  }

  #update(
    id: string,
    status: RewardStatus,
    by: { readonly run: string; readonly atMs: number },
  ): ObservedReward {
    this.#log({ what: 'PATCH', reward: id, status, at: this.#schedule.nowMs });
    const found = this.#find(id) ?? unknownReward(id);
    if (found.status !== 'QUEUED') {
      throw new ServiceFailure('refused', `it is ${found.status}`, undefined, { operation: 'updateReward' });
    }
    this.#put(found, status);
    return seen(found, by.run, by.atMs);
  }

  /** A request, its effect, and its reply; request or reply may be lost. */
  async #exchange<T>(run: string, what: string, work: () => T): Promise<T> {
    const { lostPercent } = this.#habits;
    await this.#schedule.turn(run, what);
    if (this.#schedule.fails(lostPercent)) throw unreachable();
    const result = attempt(work);
    await this.#schedule.turn(run, 'hears the service');
    if (this.#schedule.fails(lostPercent)) throw unreachable();
    return result();
  }

  #put(one: ServedReward, status: string): void {
    one.status = status;
    this.#log({ what: 'STATUS', reward: one.id, status, amount: one.amount, at: this.#schedule.nowMs });
  }

  #find(id: string): ServedReward | undefined {
    return this.#rewards.find((one) => one.id === id);
  }
}

export function rewardId(index: number): string {
  return `R${index}`;
}

function unknownReward(id: string): never {
  throw new Error(`the service has no reward ${id}`);
}

function attempt<T>(work: () => T): () => T {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function unreachable(): ServiceFailure {
  return new ServiceFailure('unreachable', 'no answer', undefined, { operation: 'reward' });
}

function documentOf({ id, amount, member, status }: ServedReward): JsonObject {
  return {
    id,
    amount,
    status,
    review: { id: `review-${id}`, createdAt: '2026-01-01T00:00:00Z' },
    order: { id: `order-${id}`, originId: `order-${id}`, memberOriginId: member },
  };
}

function seen(one: ServedReward, run: string, atMs: number): ObservedReward {
  const { id, amount, member, status } = one;
  const document = JSON.stringify(documentOf(one));
  return {
    rewardId: id,
    seen: { atMs, run, status, amount: parseMoney(`${amount}`) ?? null, memberOriginId: member, document },
  };
}
