import { execSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { placeOf } from '../../src/store/ledger/this-place.ts';
import { changeMeta } from '../store/open-ledger-place.ts';
import { asProcesses, type LedgerShop, openLedgerShop } from './ledger-shop.ts';
import { expectEnd } from './run-cli.ts';

/** A shop with a ledger and no payments yet; its commands run in this process, or `asProcesses`. */
async function openShop(runningIn: (shop: LedgerShop) => LedgerShop = (shop) => shop) {
  const shop = runningIn(await openLedgerShop());
  await shop.run('ledger init');
  shop.write('exit-code', '0');
  return { ...shop, twin: join(shop.folder, 'twin.db') };
}

const settling = ({ payer, runBuilt }: LedgerShop, ...more: readonly string[]) =>
  runBuilt([`rewards settle ${payer}`, ...more]);

/** Removes from the ledger the location of its file. */
const forgetFile = (path: string) => changeMeta(path, { place: null });

async function settleBoth(shop: LedgerShop & { readonly twin: string }) {
  const ends = await Promise.all([settling(shop), settling(shop, `-c ledger=${shop.twin}`)]);
  const times = new Map<string, number>();
  for (const id of shop.paid()) times.set(id, (times.get(id) ?? 0) + 1);
  expect([...times.values()].filter((count) => count > 1)).toEqual([]);
  return ends.map(({ exitCode }) => exitCode);
}

it('a copy of the ledger that runs at the same time is refused, and nobody is paid twice', async () => {
  const shop = await openShop();
  copyFileSync(shop.ledgerPath, shop.twin);
  expect(await settleBoth(shop)).toEqual([0, 12]);
  expect(shop.paid().toSorted()).toEqual((await shop.memberRewards()).toSorted());
});

it('twins of which neither says which file it was pay nobody twice', async () => {
  const shop = await openShop();
  await forgetFile(shop.ledgerPath);
  copyFileSync(shop.ledgerPath, shop.twin);
  expect(await settleBoth(shop)).toContain(12);
});

it('a hard link to the ledger is refused by every command, with the way on', async () => {
  const shop = await openShop();
  linkSync(shop.ledgerPath, shop.twin);
  expect(await settleBoth(shop)).toEqual([12, 12]);
  expectEnd(
    await shop.run(`ledger status -c ledger=${shop.twin}`),
    12,
    /^error: .*twin\.db has 2 names \(hard links\)\nhint: .*-samefile/,
  );
  expect(shop.paid()).toEqual([]);
});

it('a copy that is started later is refused until a person moves the ledger there', async () => {
  const shop = await openShop(asProcesses);
  await shop.settle(0, '--max-count 1');
  copyFileSync(shop.ledgerPath, shop.twin);
  const named = `-c ledger=${shop.twin}`;
  expectEnd(await shop.settle(0, named), 12, /\nhint: .*reviewctl ledger accept --complete -c '?ledger=/);
  expectEnd(await shop.run(`ledger status ${named}`), 0, /^warning: /);
  expectEnd(await shop.run(`ledger accept --complete ${named}`), 2, /must never be used again/);
  expectEnd(await shop.run(`ledger accept --complete ${named} --yes`), 0);
  expectEnd(await shop.settle(), 12);
  expectEnd(await shop.settle(0, named), 0);
  expect(new Set(shop.paid()).size).toBe(shop.paid().length);
});

it('answers of the payer that stayed beside the former file are named with the command that takes them along', async () => {
  const shop = await openShop();
  copyFileSync(shop.ledgerPath, shop.twin);
  mkdirSync(`${shop.ledgerPath}.evidence/rv1-a`, { recursive: true });
  const { stderr } = expectEnd(
    await shop.run(`ledger accept --complete -c ledger=${shop.twin} --yes`),
    0,
    `still next to ${shop.ledgerPath}`,
  );
  const command = /before the next run: (.*)/.exec(stderr)?.[1] ?? '';
  execSync(command, { shell: '/bin/sh' });
  expect(readdirSync(`${shop.twin}.evidence`)).toEqual(['rv1-a']);
});

it('a ledger that got another name on the same disk needs no further step', async () => {
  const shop = await openShop(asProcesses);
  await shop.settle(0, '--max-count 1');
  renameSync(shop.ledgerPath, shop.twin);
  expectEnd(await shop.settle(0, `-c ledger=${shop.twin}`), 0);
});

it('a ledger that another host used last pays nothing until a person moves it here', async () => {
  const shop = await openShop();
  if (!existsSync('/etc/machine-id')) return;
  const { inode } = placeOf(shop.ledgerPath);
  await changeMeta(shop.ledgerPath, { place: { host: 'another', inode } });
  expectEnd(
    await shop.settle(),
    12,
    /was last used on another machine, or as another file\nhint: .*reviewctl ledger accept --complete/,
  );
  expect(shop.paid()).toEqual([]);
  expectEnd(await shop.run('ledger accept --complete --yes'), 0);
  expectEnd(await shop.settle(), 0);
});

it('a ledger that was restored with its mark is named a copy, and accepted it pays nothing before it was compared', async () => {
  const shop = await openShop(asProcesses);
  await shop.settle(0, '--max-count 1');
  const state = join(shop.folder, 'state');
  const kept = join(shop.folder, 'kept');
  cpSync(state, kept, { recursive: true });
  await shop.settle(0, '--max-count 1');
  rmSync(state, { recursive: true });
  cpSync(kept, state, { recursive: true });
  expectEnd(
    await shop.settle(),
    12,
    /\nhint: .*if it came from a backup: reviewctl ledger accept -c '?ledger=/,
  );
  expectEnd(await shop.run('ledger accept --yes'), 0);
  expectEnd(await shop.settle(), 7);
  expectEnd(await shop.run('ledger unfreeze'), 7);
  expect(shop.paid()).toHaveLength(2);
});

it('a ledger that nothing shows to be restored is frozen by a person who knows it, until it was compared', async () => {
  const shop = await openShop();
  expectEnd(await shop.run('ledger accept --yes'), 0);
  expectEnd(await shop.settle(), 7);
  expectEnd(await shop.run('ledger unfreeze'), 7);
  expectEnd(await shop.run('ledger accept'), 0, 'already the ledger in use');
});

it('a copy that is to learn another address of its service is asked about as a copy first', async () => {
  const shop = await openShop(asProcesses);
  await shop.settle(0, '--max-count 1');
  copyFileSync(shop.ledgerPath, shop.twin);
  const other = shop.served.baseUrl.replace('127.0.0.1', 'localhost');
  expectEnd(
    await shop.run(`ledger accept --complete -c ledger=${shop.twin} -c base-url=${other}`),
    2,
    /must never be used again/,
  );
});
