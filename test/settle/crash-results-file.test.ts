import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Payment, paymentDocument } from '../../src/payer/payer.ts';
import type { Result } from '../../src/payer/read-results.ts';
import { recordedPayer, resultsFilePayer } from '../../src/payer/recorded-payer.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import { exportRewards, type WriteBatch } from '../../src/settle/manual/export-rewards.ts';
import { findHandedOver, importResults } from '../../src/settle/manual/import-results.ts';
import { checkSettlement } from '../campaign/settlement-logs.ts';
import { fastFolder } from '../fast-folder.ts';
import { Crash, type CrashWorld, type Life, makeEmptyLedger, openCrashWorld } from './crash-world.ts';
import { settleAlone } from './settle-alone.ts';

/*
 * A batch that a person pays. Its export is killed at every durable step and repeated, the person pays the exported
 * file, and its import is killed at every step and repeated.
 */

const batch = 'batch-1';
const stepsMaximum = 40;
const person = recordedPayer(
  { name: resultsFilePayer, idempotentForMs: null, replaysResponse: true, lookupDelayMs: 0 },
  'no-folder',
);

/** A file that is complete or absent, once for each time it is written. */
type Files = Payment[][];

async function exportOnce({ settlement, step }: Life, files: Files): Promise<void> {
  const write: WriteBatch = async (pages) => {
    const payments: Payment[] = [];
    for await (const page of pages) payments.push(...page);
    step();
    files.push(payments);
    step();
  };
  for await (const _ of exportRewards(byPerson(settlement), { batch, write }));
}

async function importOnce({ settlement }: Life, results: readonly Result[]): Promise<void> {
  const keys = new Set(results.map(({ key }) => key));
  const handed = await findHandedOver(settlement.ledger, keys);
  for await (const _ of importResults(byPerson(settlement), results, handed));
}

function byPerson(settlement: Settlement): Settlement {
  return { ...settlement, payer: person };
}

/** Pays each payment in the file once, and returns the results. */
async function payByHand(world: CrashWorld, payments: readonly Payment[]): Promise<readonly Result[]> {
  const life = await world.live(Number.POSITIVE_INFINITY);
  const results: Result[] = [];
  for (const payment of payments) {
    const answer = await life.settlement.payer.pay(payment);
    if (answer.kind !== 'paid' && answer.kind !== 'refused') throw new Error('a person knows what they paid');
    results.push({
      key: payment.key,
      outcome: answer.kind,
      ref: undefined,
      message: undefined,
    });
  }
  await world.end(life);
  return results;
}

/** Runs a process that is killed at this step, and once more if it was; returns the name of the killed run. */
async function twice(
  world: CrashWorld,
  crashStep: number,
  work: (life: Life) => Promise<void>,
): Promise<string | undefined> {
  const killed = await once(world, crashStep, work);
  if (killed !== undefined) expect(await once(world, Number.POSITIVE_INFINITY, work)).toBeUndefined();
  return killed;
}

async function once(world: CrashWorld, crashStep: number, work: (life: Life) => Promise<void>) {
  const life = await world.live(crashStep);
  try {
    await work(life);
    return undefined;
  } catch (error) {
    if (error instanceof Crash) return life.run;
    throw error;
  } finally {
    await world.end(life);
  }
}

test.each(['paid', 'refused'] as const)(
  'killed at any step, the export and the import of a batch hand over and take each payment once (the first is %s)',
  async (habit) => {
    const folder = fastFolder();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const emptyLedger = await makeEmptyLedger(folder);
    const folders: string[] = [];
    const killed: string[] = [];
    for (const stage of ['export', 'import'] as const) {
      let isThrough = false;
      for (let crashStep = 1; !isThrough; crashStep += 1) {
        expect(crashStep).toBeLessThan(stepsMaximum);
        const place = join(folder, `${stage}-${crashStep}`);
        const world = await openCrashWorld({
          kind: 'exec',
          isIdempotent: false,
          habit,
          folder: place,
          emptyLedger,
        });
        const stepOf = (one: typeof stage) => (one === stage ? crashStep : Number.POSITIVE_INFINITY);
        const files: Files = [];
        const exported = await twice(world, stepOf('export'), (life) => exportOnce(life, files));
        const [first = [], ...others] = files.map((payments) => payments.map(paymentDocument));
        for (const other of others) expect(other).toEqual(first);
        const results = await payByHand(world, files[0] ?? []);
        const imported = await twice(world, stepOf('import'), (life) => importOnce(life, results));
        await settleAlone(world);
        await world.finish();
        folders.push(place);
        killed.push(...[exported, imported].filter((run) => run !== undefined));
        isThrough = exported === undefined && imported === undefined;
      }
    }
    expect(killed.length).toBeGreaterThan(8);
    const judgement = { isIdempotent: false, hasEvidence: true, isClockSteady: true, killed };
    expect(checkSettlement(folders, judgement)).toEqual([]);
  },
);
