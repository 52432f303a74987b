import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type LedgerShop, openLedgerShop, records } from '../cli/ledger-shop.ts';
import { addFigures } from './figures.ts';
import { killingAt } from './push-place.ts';

/*
 * Kills the built program before and after every commit of the commands that create a ledger and export or import a
 * batch, in turn. Then runs the same command again.
 */

/** More steps than any of these commands has. */
const stepsMaximum = 100;

/** Kills at every step in turn, until the command ends first. */
async function killEverywhere(
  violationsAfterKill: (killAt: number) => Promise<readonly string[] | undefined>,
) {
  for (let killAt = 1; killAt < stepsMaximum; killAt += 1) {
    const violations = await violationsAfterKill(killAt);
    if (violations === undefined) return killAt;
    addFigures('ledger', { kills: 1, violations: violations.length });
    expect(violations, `at step ${killAt}`).toEqual([]);
  }
  return stepsMaximum;
}

test('killed before or after any commit, a ledger is usable only with everything that was paid before', async () => {
  const steps = await killEverywhere(async (killAt) => {
    const shop = await openLedgerShop({ reviews: 4 });
    const [before = '', ...others] = await shop.memberRewards();
    const init = ['ledger', 'init', '--already-paid', shop.write('paid.txt', `${before}\n`)];
    const killed = await shop.runBuilt(init, { env: killingAt(killAt) });
    if (killed.exitCode !== null) return undefined;
    await shop.settle();
    const paidTooEarly = shop.paid();
    const again = await shop.run(init);
    await shop.settle();
    return [
      ...(again.exitCode === 0 || paidTooEarly.length === others.length ? [] : [`init: ${again.stderr}`]),
      ...(shop.paid().includes(before) ? ['paid once more'] : []),
      ...(shop.paid().toSorted().join() === others.toSorted().join() ? [] : [`paid: ${shop.paid().join()}`]),
      ...(shop.statuses().get(before) === 'SUCCESS' ? [] : ['not told']),
    ];
  });
  expect(steps).toBeGreaterThan(10);
  expect(steps).toBeLessThan(stepsMaximum);
}, 240_000);

test('killed before or after any commit, a batch is written whole, and each of its payments stands in one file', async () => {
  const steps = await killEverywhere(async (killAt) => {
    const shop = await openLedgerShop({ reviews: 4 });
    await shop.run(['ledger', 'init']);
    const file = join(shop.folder, 'batch.csv');
    const batch = ['rewards', 'export', file, '--batch', 'b', '--max-count', '2'];
    const killed = await shop.runBuilt(batch, { env: killingAt(killAt) });
    if (killed.exitCode !== null) return undefined;
    const written = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    const again = await shop.run(batch);
    if (!existsSync(file)) return [`no file: ${again.exitCode} ${again.stderr}`];
    const final = readFileSync(file, 'utf8');
    return [
      ...(written === undefined || written === final ? [] : ['the file is another one']),
      ...(await violationsAfterImport(shop, file)),
    ];
  });
  expect(steps).toBeGreaterThan(10);
  expect(steps).toBeLessThan(stepsMaximum);
}, 240_000);

/** Imports the batch as paid, and exports the rest in a second one. */
async function violationsAfterImport(shop: LedgerShop, file: string): Promise<readonly string[]> {
  const second = `${file}.2.csv`;
  const next = await shop.run(['rewards', 'export', second]);
  const lines = [file, second].filter(existsSync).flatMap((path) => {
    const filled = readFileSync(path, 'utf8').replaceAll(/,,,$/gm, ',paid,R1,');
    writeFileSync(path, filled);
    return filled.trimEnd().split('\n').slice(1);
  });
  for (const path of [file, second].filter(existsSync)) await shop.run(['rewards', 'import', path]);
  const members = await shop.memberRewards();
  const [status] = records((await shop.run(['ledger', 'status'])).stdout);
  const verified = await shop.run(['ledger', 'verify']);
  return [
    ...(new Set(lines).size === lines.length ? [] : ['a payment stands in two files']),
    ...(lines.length === members.length
      ? []
      : [`${lines.length} payments of ${members.length}: ${next.stderr}`]),
    ...(members.every((id) => shop.statuses().get(id) === 'SUCCESS') ? [] : ['not all are told']),
    ...(verified.exitCode === 0 ? [] : [verified.stdout]),
    ...(JSON.stringify(status?.['batches']) === '[]' ? [] : ['a batch is left']),
  ];
}
