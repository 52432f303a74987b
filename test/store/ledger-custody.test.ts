import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { openHighWaterMarks } from '../../src/store/ledger/high-water-marks.ts';
import { acceptLedger, moveLedger } from '../../src/store/ledger/install-ledger.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { LackingPayment, Restoration } from '../../src/store/ledger/ledger-custody.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { identity, nowMs } from '../settle/entries.ts';
import { seeIn } from './ledger-steps.ts';
import { createLedger, groundOf, makeLedger, openUntilEnd, stillClock } from './open-ledger-place.ts';

const restored: Restoration = { atMs: 5, acceptedAtMs: null, comparedAtMs: null, lostEvents: null };
const lacking: readonly LackingPayment[] = [
  { name: 'key b', line: 2, rewardId: 'R2' },
  { name: 'reward a\0', line: 2, rewardId: null },
  { name: 'key c', line: 1, rewardId: 'R1' },
];
const kept = [lacking[2], lacking[0], { name: 'reward a\ufffd', line: 2, rewardId: null }];

async function openNew(): Promise<Ledger> {
  return openUntilEnd((await makeLedger()).path);
}

describe('a ledger records of itself', () => {
  test('where it is used, on a machine that can be told or not', async () => {
    const ledger = await openNew();
    for (const place of [
      { host: 'h', inode: '7.1' },
      { host: null, inode: '8' },
    ]) {
      await ledger.custody.notePlace(place);
      expect(await ledger.meta()).toMatchObject({ place });
    }
  });

  test('each further address of its service once, in their order', async () => {
    const ledger = await openNew();
    expect(await ledger.meta()).toMatchObject({ otherOrigins: [] });
    for (const origin of ['https://b', 'https://a', 'https://b']) await ledger.custody.addOrigin(origin);
    expect(await ledger.meta()).toMatchObject({ otherOrigins: ['https://a', 'https://b'] });
  });

  test('the import it begins with, until it is unfrozen', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'ledger.db');
    const unfinishedImport = { list: 'l1', reason: 'an import' };
    await createLedger(path, {
      ...identity,
      marksPath: join(folder, 'marks.db'),
      clock: stillClock,
      unfinishedImport,
    });
    const ledger = await openUntilEnd(path);
    expect(await ledger.meta()).toMatchObject({ unfinishedImport: 'l1', frozen: 'an import' });
    await ledger.unfreeze();
    expect(await ledger.meta()).toMatchObject({ unfinishedImport: null, frozen: null });
  });
});

describe('a ledger that was restored', () => {
  test('is frozen for that, unless it was frozen before, until it is unfrozen', async () => {
    const ledger = await openNew();
    expect(await ledger.meta()).toMatchObject({ restoration: null, acceptance: null });
    await ledger.custody.noteRestored(restored, 'a backup\0');
    expect(await ledger.meta()).toMatchObject({ restoration: restored, frozen: 'a backup\ufffd' });
    await ledger.custody.noteRestored({ ...restored, atMs: 6 }, 'another');
    expect(await ledger.meta()).toMatchObject({ restoration: { atMs: 6 }, frozen: 'a backup\ufffd' });
    await ledger.custody.noteComparison(7, lacking);
    await ledger.unfreeze();
    expect(await ledger.meta()).toMatchObject({ restoration: null, frozen: null });
    expect(await ledger.custody.lacking()).toEqual([]);
  });

  test('has a new id for each time that it is accepted', async () => {
    const ledger = await openNew();
    const ids: (string | null)[] = [];
    for (const acceptedAtMs of [8, null, 9]) {
      await ledger.custody.noteRestored({ ...restored, acceptedAtMs }, 'why');
      const { restoration, acceptance } = await ledger.meta();
      expect(restoration).toMatchObject({ acceptedAtMs });
      ids.push(acceptance);
    }
    expect(ids[0]).toEqual(expect.any(String));
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(2);
  });

  test('lacks what the last statement shows, as long as that comparison counts', async () => {
    const ledger = await openNew();
    const { custody } = ledger;
    await custody.noteRestored(restored, 'why');
    await custody.noteComparison(6, [{ name: 'key x', line: 9, rewardId: null }]);
    await custody.noteComparison(7, lacking);
    expect(await ledger.meta()).toMatchObject({ restoration: { ...restored, comparedAtMs: 7 } });
    expect(await custody.lacking()).toEqual(kept);
    await custody.noteRestored({ atMs: 5, acceptedAtMs: 8, comparedAtMs: 7, lostEvents: null }, 'why');
    expect(await custody.lacking()).toEqual(kept);
    await custody.noteRestored({ ...restored, acceptedAtMs: 8 }, 'why');
    expect(await custody.lacking()).toEqual([]);
    expect(await ledger.meta()).toMatchObject({ restoration: { comparedAtMs: null } });
  });
});

describe('a ledger that a person accepts', () => {
  /**
   * The restoration recorded after accepting a ledger with a comparison, if the mark of its account last moved at this
   * time.
   */
  async function acceptedAfter(comparedAtMs: number | undefined, movedAtMs: number) {
    const { path, marksPath } = await makeLedger();
    const ledger = await openUntilEnd(path);
    if (comparedAtMs !== undefined)
      await ledger.custody.noteRestored({ ...restored, comparedAtMs }, 'a backup');
    const marks = await openHighWaterMarks(marksPath);
    const [made] = marks.all();
    if (made === undefined) throw new Error('a new ledger has a mark');
    marks.move(made, { ...made, movedAtMs });
    // One of another account, and an earlier one of this account.
    const later = { ...made, movedAtMs: nowMs, ledgerId: 'L2', origin: 'https://other.example' };
    for (const other of [later, { ...made, movedAtMs: 1, ledgerId: 'L3' }]) marks.add(other);
    await seeIn(ledger, 'R1');
    await acceptLedger(ledger, groundOf(path, { marksPath, clock: stillClock }));
    const mark = marks.find(ledger.identity.ledgerId);
    marks.close();
    return { ledger, mark, meta: await ledger.meta() };
  }

  test('is the one in use from then on, and frozen for that', async () => {
    const { ledger, mark, meta } = await acceptedAfter(undefined, 1);
    expect(meta).toMatchObject({
      restoration: { atMs: nowMs, acceptedAtMs: nowMs, comparedAtMs: null, lostEvents: null },
      frozen: 'accepted as the ledger in use on 2026-01-01T14:59:00.000Z',
      place: { inode: mark?.inode },
    });
    expect(mark).toMatchObject({ ...(await ledger.lastEvent()), seq: 1, movedAtMs: nowMs, isRetired: false });
  });

  it.each([
    ['before the mark moved', 5, 6, null],
    ['as the mark moved', 6, 6, 6],
    ['at this instant', nowMs, 6, nowMs],
    ['in the future', nowMs + 1, 6, null],
  ])('keeps a comparison only if nothing came after it: %s', async (_, comparedAtMs, movedAtMs, keptMs) => {
    const { meta } = await acceptedAfter(comparedAtMs, movedAtMs);
    expect(meta.restoration).toEqual({
      atMs: 5,
      acceptedAtMs: nowMs,
      comparedAtMs: keptMs,
      lostEvents: null,
    });
  });
});

describe('a ledger that is moved', () => {
  test('takes its mark with it, with what it knows of its accounts', async () => {
    const { path, marksPath } = await makeLedger();
    const ledger = await openUntilEnd(path);
    await seeIn(ledger, 'R1');
    await ledger.addAccount('B');
    const ground = { ...groundOf(path, { marksPath, clock: stillClock }), path: '/l/new.db', inode: '7' };
    await moveLedger(ledger, { ...ground, place: { host: 'x', inode: '7' } });
    const marks = await openHighWaterMarks(marksPath);
    expect(marks.all()).toMatchObject([
      { seq: 1, path: '/l/new.db', inode: '7', movedAtMs: nowMs, accounts: ['B'] },
    ]);
    expect(await ledger.meta()).toMatchObject({ place: { host: 'x', inode: '7' } });
    marks.close();
  });

  test.each([
    ['no mark', 'none.db'],
    ['a mark that was retired', 'marks.db'],
  ])('is the one in use where it has %s', async (_, name) => {
    const { folder, path } = await makeLedger();
    const ledger = await openUntilEnd(path);
    const marksPath = join(folder, name);
    const marks = await openHighWaterMarks(marksPath);
    const [made] = marks.all();
    if (made !== undefined) marks.install({ ...made, ledgerId: 'L2' });
    await moveLedger(ledger, groundOf(path, { marksPath, clock: stillClock }));
    expect(marks.find(ledger.identity.ledgerId)).toMatchObject({ path, seq: 0, isRetired: false });
    expect(marks.find('L2')?.isRetired).toBe(made === undefined ? undefined : true);
    marks.close();
  });

  test('is refused where another file of it has gone on', async () => {
    const { path, marksPath } = await makeLedger();
    const ledger = await openUntilEnd(path);
    const marks = await openHighWaterMarks(marksPath);
    const [made] = marks.all();
    if (made === undefined) throw new Error('a new ledger has a mark');
    marks.move(made, { ...made, seq: 3, seal: 'x' });
    await expect(moveLedger(ledger, groundOf(path, { marksPath, clock: stillClock }))).rejects.toMatchObject({
      kind: 'ledger',
      message: `the ledger ${path} is out of date: it ends at event 0, but event 3 was recorded`,
    });
    expect(marks.all()).toMatchObject([{ seq: 3, seal: 'x' }]);
    marks.close();
  });
});
