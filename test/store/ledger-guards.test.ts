import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPlace } from '../../src/store/ledger/check-place.ts';
import { ledgerLocation } from '../../src/store/ledger/ledger-location.ts';
import { openLedgerStore } from '../../src/store/open-store.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { identity } from '../settle/entries.ts';
import { stillClock } from './open-ledger-place.ts';

const start = { ...identity, isAnyDisk: true, clock: stillClock };

async function makeLedger() {
  const folder = temporaryFolder();
  const state = join(folder, 'state');
  const location = ledgerLocation(state, join(state, 'shop'));
  const store = await openLedgerStore(location);
  await store.create(start);
  return { folder, state, location, store };
}

describe('a ledger that other users could change', () => {
  it.each([
    ['its file', ({ path }: Place) => path],
    ['its log', ({ path }: Place) => madeFile(`${path}-wal`)],
    ['its folder', ({ state }: Place) => join(state, 'shop')],
    ['the folder of the state', ({ state }: Place) => state],
    ['its marks', ({ state }: Place) => join(state, 'high-water-marks.db')],
    ['what payers left of their calls', ({ path }: Place) => madeFolder(`${path}.evidence`)],
    ['the locks of its owners', ({ path }: Place) => madeFolder(`${path}.owners`)],
  ])('by %s is neither opened nor read nor copied, and the message says what mends it', async (_, partOf) => {
    const { folder, state, location, store } = await makeLedger();
    const part = partOf({ state, path: location.path });
    chmodSync(part, 0o777);
    const refusal = {
      kind: 'ledger',
      exitCode: 12,
      message: expect.stringContaining(`${part} may be changed by other users of this machine, and it`),
      hint: `chmod go-w ${part}`,
    };
    await expect(store.open(start)).rejects.toMatchObject(refusal);
    await expect(store.openAny(start)).rejects.toMatchObject(refusal);
    await expect(store.openUnjudged(start)).rejects.toMatchObject(refusal);
    await expect(store.backup(join(folder, 'copy.db'), start)).rejects.toMatchObject(refusal);
    chmodSync(part, 0o700);
    await (await store.open(start)).close();
  });

  it('is not created either, nor where everyone may create files', async () => {
    const folder = temporaryFolder();
    const store = await openLedgerStore(ledgerLocation(join(folder, 'state'), '', join(folder, 'l.db')));
    chmodSync(folder, 0o777);
    await expect(store.create(start)).rejects.toMatchObject({ hint: `chmod go-w ${folder}` });
    chmodSync(folder, 0o1777);
    await expect(store.create(start)).rejects.toMatchObject({
      hint: `use a folder of your own instead: mkdir -m 700 ${folder}/reviewctl`,
    });
  });
});

describe('a ledger that is paid from', () => {
  const check = (type: number, isAnyDisk = false) => {
    const folder = temporaryFolder();
    checkPlace(ledgerLocation(folder, join(folder, 'shop')), { isAnyDisk }, () => type);
  };

  it.each([
    [0x01021994, 'is on tmpfs, in the memory of this machine; if it is lost, the rewards that it paid'],
    [0x858458f6, 'is on ramfs, in the memory of this machine; if it is lost'],
    [0x794c7630, 'is on the overlay file system of a container; if it is lost'],
    [0x6969, 'is on NFS; there, two machines may pay from it at once'],
    [0xff534d42, 'is on CIFS; there'],
    [0xfe534d42, 'is on SMB; there'],
    [0x01021997, 'is on 9p; there'],
    [0x65735546, 'is on FUSE; there'],
  ])('is refused on file system %d, unless a person says that it may be anywhere', (type, words) => {
    expect(() => check(type)).toThrow(
      expect.objectContaining({
        kind: 'ledger',
        message: expect.stringContaining(words),
        hint: expect.stringContaining('-c ledger-anywhere=true'),
      }),
    );
    expect(() => check(type, true)).not.toThrow();
  });

  it.each([0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1])('is taken on file system %d of a disk', (type) => {
    expect(() => check(type)).not.toThrow();
  });
});

interface Place {
  readonly state: string;
  readonly path: string;
}

function madeFile(path: string): string {
  writeFileSync(path, '');
  return path;
}

function madeFolder(path: string): string {
  mkdirSync(path);
  return path;
}
