import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import { openDatabase } from '../../src/base/sqlite.ts';
import { openSqliteLedger } from '../../src/store/ledger/ledger-file.ts';
import { DiskImages } from '../campaign/disk-images.ts';
import type { DiskCall } from '../campaign/disk-trace.ts';
import { claimIn, seeIn } from './ledger-steps.ts';
import { wrongIn } from './ledger-suite.ts';
import { makeLedger, openUntilEnd, stillClock } from './open-ledger-place.ts';

/*
 * The effect of a loss of power on a ledger, if the disk keeps synced data and any sectors of the rest. `npm run
 * campaign -- power` traces the program to check that it syncs before it continues.
 */

const changes = 12;
/** States of the disk after the same loss of power. */
const ways = 6;
const pageBytes = 4_096;

interface Files {
  readonly ledger: Buffer;
  readonly log: Buffer;
}

function readFiles(path: string): Files {
  return { ledger: readFileSync(path), log: readFileSync(`${path}-wal`) };
}

/** The problems of the ledger after a loss of power, and the number of its events. */
async function afterLoss(folder: string, files: ReadonlyMap<string, Buffer>) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
  const ledger = await openSqliteLedger(join(folder, 'ledger.db'), { clock: stillClock });
  const end = { wrong: await wrongIn(ledger), events: await ledger.lastSeq() };
  await ledger.close();
  return end;
}

const added = (path: string, before: Buffer, after: Buffer): DiskCall => ({
  kind: 'write',
  path,
  content: after.subarray(before.length),
  offset: before.length,
});

it('whatever of an unfinished commit is on the disk, the ledger is whole and has every commit before it', async () => {
  const { folder, path } = await makeLedger();
  const ledger = await openUntilEnd(path);
  const random = seededRandom(1);
  await seeIn(ledger, 'R0');
  let before = readFiles(path);
  const images = new DiskImages(
    new Map([
      ['ledger.db', before.ledger],
      ['ledger.db-wal', before.log],
    ]),
  );
  for (let change = 1; change <= changes; change += 1) {
    await (change % 2 === 0 ? seeIn(ledger, `R${change}`) : claimIn(ledger, `R${change - 1}`));
    const after = readFiles(path);
    images.apply(added('ledger.db-wal', before.log, after.log));
    for (let way = 1; way <= ways; way += 1) {
      const { wrong, events } = await afterLoss(join(folder, 'cut'), images.withSome(random));
      expect(wrong).toEqual([]);
      expect([change, change + 1]).toContain(events);
    }
    images.apply({ kind: 'sync', path: 'ledger.db-wal' });
    expect(await afterLoss(join(folder, 'cut'), images.withoutUnsynced())).toEqual({
      wrong: [],
      events: change + 1,
    });
    before = after;
  }
});

it('whatever the log has brought into the file when the power fails, nothing is lost', async () => {
  const { folder, path } = await makeLedger();
  const ledger = await openUntilEnd(path);
  const random = seededRandom(2);
  for (let change = 0; change < changes; change += 1) await seeIn(ledger, `R${change}`);
  const before = readFiles(path);
  const database = await openDatabase(path, { durability: 'power' });
  database.exec('PRAGMA wal_checkpoint(FULL)');
  database.close();
  const { ledger: after } = readFiles(path);
  expect(after.equals(before.ledger)).toBe(false);
  const images = new DiskImages(
    new Map([
      ['ledger.db', before.ledger],
      ['ledger.db-wal', before.log],
    ]),
  );
  for (let offset = 0; offset < after.length; offset += pageBytes) {
    images.apply({
      kind: 'write',
      path: 'ledger.db',
      content: after.subarray(offset, offset + pageBytes),
      offset,
    });
  }
  for (let way = 1; way <= 4 * ways; way += 1) {
    expect(await afterLoss(join(folder, 'cut'), images.withSome(random))).toEqual({
      wrong: [],
      events: changes,
    });
  }
});
