import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { JsonObject } from '../../src/base/json.ts';
import { seededRandom } from '../../src/base/random.ts';
import { createApi } from '../../src/client/caller.ts';
import { wrap } from '../../src/client/open-service.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { reward } from '../../src/contract/resources.ts';
import type { Transport } from '../../src/contract/wire.ts';
import { rewardDocument } from '../../src/sandbox/rules/documents.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { createRewardService } from '../../src/settle/flow/reward-service.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import type { WebhookReward } from '../../src/settle/webhook/verify-webhook.ts';
import { openSqliteLedger } from '../../src/store/ledger/ledger-file.ts';
import { appendLog, dumpLedger, type LoneRun } from '../campaign/settlement-logs.ts';
import { RacingClock } from '../push/racing-clock.ts';
import { transportOf } from '../sandbox/in-process.ts';
import { createLedger } from '../store/open-ledger-place.ts';
import { type LoggedPayerOptions, loggedPayer, type PayerHabit } from './logged-payer.ts';
import { openPolicy } from './open-policy.ts';

/** Ends a process at a chosen step. */
export class Crash extends Error {}

/** One process of the program, from start to end. */
export interface Life {
  /** Its name in the ledger, unique across all worlds. */
  readonly run: string;
  readonly settlement: Settlement;
  /** Called before every other durable step; throws if the process ends there. */
  readonly step: () => void;
}

export type CrashWorld = Awaited<ReturnType<typeof openCrashWorld>>;

export interface CrashWorldOptions extends Pick<LoggedPayerOptions, 'kind' | 'isIdempotent'> {
  /** The folder of the three logs and of the ledger. */
  readonly folder: string;
  /** An empty ledger, copied for each world. */
  readonly emptyLedger: string;
  /** The payer's behaviour for the first reward; it pays the second. */
  readonly habit: PayerHabit;
}

/** With this seed both rewards belong to members. */
const seed = 7;
const rewardCount = 2;
const ledgerName = 'ledger.db';
/** Longer pauses are time-outs; they never end. */
const pauseMaximumMs = 6_000;

let lives = 0;

/** A clock on which short pauses end at once, and time-outs never do. */
class CrashClock extends RacingClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= pauseMaximumMs) return super.sleep(ms, signal);
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }
}

export async function makeEmptyLedger(folder: string): Promise<string> {
  const path = join(folder, ledgerName);
  const marksPath = join(folder, 'marks.db');
  const clock = new CrashClock();
  await createLedger(path, { origin: 'https://service.example', shop: 'shop', marksPath, clock });
  return path;
}

export async function openCrashWorld(options: CrashWorldOptions) {
  const { folder, emptyLedger, habit } = options;
  mkdirSync(folder);
  const path = join(folder, ledgerName);
  cpSync(emptyLedger, path);
  const clock = new CrashClock();
  const sandbox = await createSandbox({ clock, seed, products: 3, orders: 3, reviews: rewardCount });
  const called = sandbox.transact((visit) =>
    [...visit.state.rewards.values()]
      .map((record) => rewardDocument(visit, record))
      .filter(({ status }) => status === 'QUEUED')
      .map((sent): WebhookReward => ({ sent, value: z.decode(reward(), sent as never) })),
  );
  const [first] = called;
  const payer = loggedPayer({
    ...options,
    habitOf: (rewardId) => (rewardId === first?.value.id ? habit : 'paid'),
    write: (line) => appendLog(folder, 'payer', [line]),
    now: () => clock.now(),
  });
  appendLog(folder, 'payer', []);
  const recorded: Transport = (request, signal) => {
    const { operation, path: target, body } = request;
    if (operation === 'updateReward') {
      const { status } = JSON.parse(body ?? '{}') as JsonObject;
      appendLog(folder, 'service', [
        { what: 'PATCH', reward: target.split('/').at(-1), status, at: clock.now() },
      ]);
    }
    return transportOf(sandbox)(request, signal);
  };
  const random = seededRandom(seed);
  const { transport } = wrap(recorded, {
    token: sandbox.token,
    assumptions: defaultAssumptions,
    retries: 2,
    clock,
    random,
  });
  const api = createApi({ transport, assumptions: defaultAssumptions });
  const loneRuns: LoneRun[] = [];
  return {
    /** The queued rewards, as the webhook sends them. */
    called,
    /** Finishes the payer's late payments. */
    land: () => payer.land(),
    /**
     * Starts a process that ends before its step `crashStep`, counted from 1 over all durable steps inside and outside
     * of it.
     */
    live: async (crashStep: number): Promise<Life> => {
      lives += 1;
      const run = `life-${lives}`;
      const step = stepsUntil(crashStep);
      const ledger = await openSqliteLedger(path, { clock });
      const service = createRewardService(api, { run, now: () => clock.now() });
      const own = { ledger, service, payer: payer.open(step), run, clock, random };
      return { run, settlement: mortal(own, step), step };
    },
    /** Closes the ledger of a process, as its end does. */
    end: ({ settlement }: Life) => settlement.ledger.close(),
    /** Logs the answer to a webhook call. */
    noteAnswer: (rewardId: string, status: number) =>
      appendLog(folder, 'service', [{ what: 'ANSWER', reward: rewardId, status, at: clock.now() }]),
    /** Logs the exit code of a process that ran alone. */
    noteRun: async (exitCode: number) => {
      const ledger = await openSqliteLedger(path, { clock });
      loneRuns.push({ exitCode, seq: await ledger.lastSeq() });
      await ledger.close();
    },
    /** Logs the final state of ledger and service. */
    finish: async () => {
      for (const { id, status, amount } of sandbox.state.rewards.values()) {
        appendLog(folder, 'service', [{ what: 'STATUS', reward: id, status, amount, at: clock.now() }]);
      }
      await dumpLedger(folder, () => openSqliteLedger(path, { clock }), loneRuns);
      await sandbox.close();
    },
  };
}

/** A settlement that calls `step` before each durable action. */
function mortal(
  own: Pick<Settlement, 'ledger' | 'service' | 'payer' | 'run' | 'clock' | 'random'>,
  step: () => void,
): Settlement {
  const { ledger, service, run } = own;
  return {
    ...own,
    ledger: {
      ...ledger,
      change: async (rewardId, decide, options) => {
        step();
        return ledger.change(rewardId, decide, options);
      },
      plans: {
        ...ledger.plans,
        begin: async (start) => {
          step();
          return ledger.plans.begin(start);
        },
        end: async (plan, atMs) => {
          step();
          await ledger.plans.end(plan, atMs);
        },
      },
    },
    service: {
      ...service,
      queued: () => {
        step();
        return service.queued();
      },
      find: async (rewardId, hint) => {
        step();
        return service.find(rewardId, hint);
      },
      update: async (rewardId, status) => {
        step();
        const reply = await service.update(rewardId, status);
        step();
        return reply;
      },
    },
    policy: openPolicy,
    beganMs: own.clock.now(),
    isOwnerAlive: async (owner) => owner === run,
    claimLeaseMs: 15_000,
    refusedStatus: 'CANCELLED',
    stopping: new AbortController().signal,
  };
}

function stepsUntil(crashStep: number): () => void {
  let steps = 0;
  return () => {
    steps += 1;
    // A killed process takes no further steps.
    if (steps >= crashStep) throw new Crash(`step ${crashStep}`);
  };
}
