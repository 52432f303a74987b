import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openDatabase, readPragma } from '../../src/base/sqlite.ts';
import { importPaid, unfinishedImport } from '../../src/settle/manual/import-paid.ts';
import { backupLedger } from '../../src/store/sqlite/ledger/backup-ledger.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { observation } from '../settle/entries.ts';
import { all } from './all-pages.ts';
import { wrongIn } from './ledger-suite.ts';
import { makeLedger, openUntilEnd, stillClock } from './open-ledger-place.ts';

/** A copy of a ledger that an earlier version wrote. */
function earlierLedger(name: string): string {
  const path = join(temporaryFolder(), 'ledger.db');
  const packed = readFileSync(new URL(`../../fixtures/ledgers/${name}.db.gz`, import.meta.url));
  writeFileSync(path, gunzipSync(packed));
  return path;
}

async function formatOf(path: string): Promise<number> {
  const database = await openDatabase(path, { durability: 'power' });
  const format = Number(readPragma(database, 'user_version'));
  database.close();
  return format;
}

const statesOfFormat3 = {
  R1: 'intended pending',
  R2: 'paying pending',
  R3: 'paid sent',
  R4: 'paid confirmed',
  R5: 'refused conflict',
  R6: 'unknown pending',
  R7: 'paid pending',
  R8: 'paid pending',
  R9: 'paid pending',
};

test('a ledger of format 3 is brought up to date when it is opened, with all it holds', async () => {
  const path = earlierLedger('format-3');
  expect(await formatOf(path)).toBe(3);
  const ledger = await openUntilEnd(path);
  expect(await formatOf(path)).toBe(await formatOf((await makeLedger()).path));
  const entries = await all(ledger.entries());
  const states = entries.map(({ rewardId, payment, report }) => [rewardId, `${payment} ${report}`]);
  expect(Object.fromEntries(states)).toEqual(statesOfFormat3);
  const kinds = (await all(ledger.events())).map(({ kind }) => kind);
  expect(kinds).toHaveLength(27);
  expect(new Set(kinds).size).toBe(11);
  expect(await ledger.plans.find('plan-1')).toMatchObject({ run: 'run-1', endedAtMs: null });
  expect(await ledger.frozen()).toBe('an audit');
  expect(await ledger.custody.unfinishedImport()).toBeUndefined();
  expect(await wrongIn(ledger)).toEqual([]);
});

test('an import that was interrupted in format 3 is a field afterwards, and continues with its list', async () => {
  const ledger = await openUntilEnd(earlierLedger('format-3-importing'));
  expect(await ledger.custody.unfinishedImport()).toBe(unfinishedImport(['R2', 'R1']).list);
  expect(await ledger.frozen()).toMatch(/^ledger init did not finish/);
  const rewards = ['R1', 'R2'].map((rewardId) => ({ rewardId, seen: observation() }));
  await importPaid(ledger, rewards, 'run');
  await ledger.unfreeze();
  expect(await ledger.custody.unfinishedImport()).toBeUndefined();
  expect(await ledger.frozen()).toBeUndefined();
  const entries = await all(ledger.entries());
  expect(entries.map(({ rewardId, payment }) => [rewardId, payment])).toEqual([
    ['R1', 'paid'],
    ['R2', 'paid'],
  ]);
  expect(await wrongIn(ledger)).toEqual([]);
});

test('a backup of an interrupted import is still one, whatever it is frozen for', async () => {
  const path = earlierLedger('format-3-importing');
  const backup = join(temporaryFolder(), 'backup.db');
  await backupLedger(path, backup, { clock: stillClock });
  const ledger = await openUntilEnd(backup);
  await ledger.freeze('a person looks');
  expect(await ledger.custody.unfinishedImport()).toBe(unfinishedImport(['R1', 'R2']).list);
});

test('a ledger of the format before there were plans is brought up to date when it is opened', async () => {
  const path = earlierLedger('format-3');
  const earlier = await openDatabase(path, { durability: 'power' });
  earlier.exec('DROP TABLE plan; PRAGMA user_version = 2');
  earlier.close();
  const ledger = await openUntilEnd(path);
  await ledger.plans.begin({ plan: 'plan-1', sha256: 'a', run: 'run-1', beganAtMs: 1 });
  expect(await ledger.plans.find('plan-1')).toMatchObject({ endedAtMs: null });
  expect(await wrongIn(ledger)).toEqual([]);
});
