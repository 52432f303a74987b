import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { triggerReward } from '../../src/settle/flow/settle-reward.ts';
import { settleRewards } from '../../src/settle/flow/settle-rewards.ts';
import type { PaymentPlan } from '../../src/settle/rules/plan-codec.ts';
import { createWebhookAnswers } from '../../src/settle/webhook/answer-webhook.ts';
import { addFigures } from '../campaign/figures.ts';
import { checkSettlement } from '../campaign/settlement-logs.ts';
import { fastFolder } from '../fast-folder.ts';
import { type CrashWorld, type Life, makeEmptyLedger, openCrashWorld } from './crash-world.ts';
import { type PayerHabit, payerHabits } from './logged-payer.ts';
import { makePlan } from './make-plan.ts';
import { oneByOne, runThrough, settleAlone } from './settle-alone.ts';

/*
 * Kills a settlement at every durable step: before each change of the ledger, each call of the payer and each request
 * to the service, and between a completed call and its answer. Then the program runs again, and a checker that reads
 * only the three logs verifies the result.
 */

/** More steps than any such settlement has. */
const stepsMaximum = 60;
/** Undisturbed runs after which everything is settled that can be. */
const cleanRuns = 3;

type Path = (life: Life, world: CrashWorld) => Promise<void>;

/** The plan of each world, with its first reward only. */
const plans = new WeakMap<CrashWorld, PaymentPlan>();

/** The ways to start a settlement. */
const paths: Readonly<Record<'settle' | 'plan' | 'listen' | 'trigger', Path>> = {
  settle: async ({ settlement }) => {
    for await (const _ of settleRewards(settlement, oneByOne));
  },
  plan: async ({ settlement }, world) => {
    const [planned] = world.called;
    const plan =
      plans.get(world) ?? (await makePlan(settlement, (rewardId) => rewardId === planned?.value.id));
    plans.set(world, plan);
    for await (const _ of settleRewards({ ...settlement, plan }, oneByOne));
  },
  listen: async ({ settlement }, world) => {
    let trouble: unknown;
    const answers = createWebhookAnswers(settlement, {
      concurrency: 1,
      onTrouble: (error) => {
        trouble ??= error;
      },
    });
    for (const reward of world.called) {
      const { status } = await answers.answer(reward);
      if (trouble !== undefined) throw trouble;
      world.noteAnswer(reward.value.id, status);
    }
  },
  trigger: async ({ settlement }, { called }) => {
    for (const { value } of called) await triggerReward(settlement, value.id);
  },
};

interface Case {
  readonly kind: 'exec' | 'http';
  readonly isIdempotent: boolean;
  readonly path: keyof typeof paths;
}

/** Kills one settlement at each of its steps in turn; returns the folders of the logs and the killed runs. */
async function killEverywhere({ kind, isIdempotent, path }: Case, habit: PayerHabit, place: Place) {
  const folders: string[] = [];
  const killed: string[] = [];
  for (let crashStep = 1; crashStep <= stepsMaximum; crashStep += 1) {
    const folder = join(place.folder, `${path}-${habit}-${crashStep}`);
    const world = await openCrashWorld({ kind, isIdempotent, habit, folder, emptyLedger: place.emptyLedger });
    const first = await runThrough(world, paths[path], crashStep);
    await place.afterKill?.(folder);
    // The service calls again after a missing answer.
    if (path === 'listen') await runThrough(world, paths.listen, Number.POSITIVE_INFINITY);
    // The same command continues the plan, and pays nothing else.
    if (path === 'plan') {
      await runThrough(world, paths.plan, Number.POSITIVE_INFINITY);
      const unplanned = world.called[1]?.value.id ?? '';
      expect(readFileSync(join(folder, 'payer.ndjson'), 'utf8')).not.toContain(unplanned);
    }
    // The first clean run may find a payer still at work.
    await settleAlone(world);
    world.land();
    for (let run = 2, exitCode = 11; run <= cleanRuns && exitCode !== 0; run += 1) {
      exitCode = await settleAlone(world);
    }
    await world.finish();
    folders.push(folder);
    if (!first.isKilled) return { folders, killed };
    killed.push(first.run);
  }
  throw new Error(`a settlement took more than ${stepsMaximum} steps`);
}

interface Place {
  readonly folder: string;
  readonly emptyLedger: string;
  /** Changes the ledger while no process has it open. */
  readonly afterKill?: (folder: string) => Promise<void>;
}

async function openPlace(): Promise<Place> {
  const folder = fastFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { folder, emptyLedger: await makeEmptyLedger(folder) };
}

const cases = (['exec', 'http'] as const).flatMap((kind) =>
  [true, false].flatMap((isIdempotent) =>
    (['settle', 'plan', 'listen', 'trigger'] as const).map((path): Case => ({ kind, isIdempotent, path })),
  ),
);

test.each(cases)(
  'killed at any step, $path with a payer of kind $kind (honours keys: $isIdempotent) keeps every promise, whatever the payer does',
  async (one) => {
    const place = await openPlace();
    const folders: string[] = [];
    const killed: string[] = [];
    for (const habit of payerHabits) {
      const ends = await killEverywhere(one, habit, place);
      expect(ends.killed.length, habit).toBeGreaterThan(8);
      folders.push(...ends.folders);
      killed.push(...ends.killed);
    }
    const { kind, isIdempotent } = one;
    const judgement = { isIdempotent, hasEvidence: kind === 'exec', isClockSteady: true, killed };
    const violations = checkSettlement(folders, judgement);
    addFigures('crash-points', { kills: killed.length, violations: violations.length });
    expect(violations).toEqual([]);
  },
);

test('a ledger that forgets what was durable is caught by the checker', async () => {
  const { folder, emptyLedger } = await openPlace();
  const place: Place = {
    folder,
    emptyLedger,
    afterKill: async (world) => {
      for (const suffix of ['-wal', '-shm']) rmSync(join(world, `ledger.db${suffix}`), { force: true });
      cpSync(emptyLedger, join(world, 'ledger.db'));
    },
  };
  const one: Case = { kind: 'http', isIdempotent: false, path: 'settle' };
  const { folders, killed } = await killEverywhere(one, 'paid', place);
  const broken = checkSettlement(folders, {
    isIdempotent: false,
    hasEvidence: false,
    isClockSteady: true,
    killed,
  });
  expect(broken.join('\n')).toContain('its money moved 2 times');
});
