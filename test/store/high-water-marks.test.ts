import { copyFileSync, linkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSqlite } from '../../src/base/sqlite.ts';
import { payReward } from '../../src/settle/flow/pay-reward.ts';
import { answered, claim, importReward, observe, resolve } from '../../src/settle/rules/transitions.ts';
import { openHighWaterMarks, readHighWaterMarks } from '../../src/store/ledger/high-water-marks.ts';
import { acceptLedger } from '../../src/store/ledger/install-ledger.ts';
import type { Step } from '../../src/store/ledger/ledger.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { claimOptions, identity, observation, plainPayer } from '../settle/entries.ts';
import { openSettlement } from '../settle/open-settlement.ts';
import { scriptedPayer } from '../settle/scripted-payer.ts';
import { by, claimIn, day, seeIn } from './ledger-steps.ts';
import {
  changeMeta,
  createLedger,
  groundOf,
  makeLedger,
  openAnyLedger,
  openLedger,
  stillClock,
} from './open-ledger-place.ts';

const { DatabaseSync } = await loadSqlite();

const refused = { kind: 'ledger', exitCode: 12 };

/** Opens the marks as a settlement does, until the test ends. */
async function open(path: string, marksPath: string) {
  const ledger = await openLedger(path, { ...identity, marksPath, clock: stillClock });
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Two open copies of one ledger. Neither records its file, so only their writes distinguish them. */
async function openTwins() {
  const { folder, path, marksPath } = await makeLedger();
  const twin = join(folder, 'twin.db');
  await changeMeta(path, { place: null });
  change(marksPath, 'UPDATE mark SET inode = NULL');
  copyFileSync(path, twin);
  const one = await open(path, marksPath);
  change(marksPath, 'UPDATE mark SET inode = NULL');
  const other = await open(twin, marksPath);
  change(marksPath, 'UPDATE mark SET inode = NULL');
  return { one, other, folder, path, twin, marksPath };
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

test('of twins the first claim alone gets through; the other stops, whatever it claims', async () => {
  const { one, other } = await openTwins();
  for (const ledger of [one, other]) {
    for (const id of ['R1', 'R2']) await seeIn(ledger, id);
  }
  await claimIn(one, 'R1');
  await one.fence();
  await claimIn(other, 'R2');
  await expect(other.fence()).rejects.toMatchObject(refused);
  await claimIn(one, 'R2');
  await one.fence();
  await expect(other.fence()).rejects.toMatchObject(refused);
});

const claimed = [observe('R1', observation()), claim(claimOptions())];

/** Every decision after which an older copy would pay again, with its last step. */
const decisions: readonly (readonly [string, readonly Step<unknown>[]])[] = [
  ['paid', [...claimed, answered(1, { kind: 'paid', ref: 'T' }, plainPayer)]],
  ['refused', [...claimed, answered(1, { kind: 'refused', message: 'no such member' }, plainPayer)]],
  [
    'found unpaid, and has a new key,',
    [
      ...claimed,
      answered(1, { kind: 'ambiguous', message: 'time-out' }, plainPayer),
      resolve(1, { kind: 'not-paid', reason: 'asked' }, plainPayer),
    ],
  ],
  ['imported as paid', [importReward('R1', observation(), 'T')]],
];

test.each(decisions)(
  'once a reward is %s, its ledger is refused in its state before, with no claim in between',
  async (_, steps) => {
    const { folder, path, marksPath } = await makeLedger();
    const older = join(folder, 'older.db');
    const ledger = await open(path, marksPath);
    for (const step of steps.slice(0, -1)) await ledger.change('R1', step, { by, scopes: [day] });
    await ledger.fence();
    change(path, `VACUUM INTO '${older}'`);
    for (const step of steps.slice(-1)) await ledger.change('R1', step, { by, scopes: [day] });
    expect(await readHighWaterMarks(marksPath)).toMatchObject([{ seq: steps.length }]);
    await expect(open(older, marksPath)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining(
        `it ends at event ${steps.length - 1}, but event ${steps.length} was recorded`,
      ),
    });
  },
);

test('a ledger that was put back to an earlier state while it is open is found out, however many events follow at once', async () => {
  const { path, marksPath } = await makeLedger();
  const ledger = await open(path, marksPath);
  for (const id of ['R1', 'R2', 'R3']) await seeIn(ledger, id);
  await claimIn(ledger, 'R1');
  await ledger.fence();
  change(path, "DROP TRIGGER event_no_DELETE; DELETE FROM event WHERE kind = 'claimed'");
  await Promise.all(['R2', 'R3'].map((id) => claimIn(ledger, id)));
  await expect(ledger.fence()).rejects.toMatchObject(refused);
});

test('a twin calls no payer, and its claim is released', async () => {
  const { one, other } = await openTwins();
  const payer = scriptedPayer({});
  const world = await openSettlement();
  const settling = (ledger: typeof one) => world.settlement(payer, { ledger, clock: stillClock });
  for (const ledger of [one, other]) await seeIn(ledger, 'R1');
  expect(await payReward(settling(one), { rewardId: 'R1' }, async () => undefined)).toMatchObject({
    kind: 'decided',
  });
  await expect(payReward(settling(other), { rewardId: 'R1' }, async () => undefined)).rejects.toMatchObject(
    refused,
  );
  expect(payer.calls).toHaveLength(1);
  expect(await other.find('R1')).toMatchObject({ payment: 'intended', call: null });
});

test('processes that share one ledger never stop each other, however their claims interleave', async () => {
  const { path, marksPath } = await makeLedger();
  const ledgers = [await open(path, marksPath), await open(path, marksPath), await open(path, marksPath)];
  const claims = Array.from({ length: 30 }, async (_, index) => {
    const ledger = ledgers[index % ledgers.length];
    if (ledger === undefined) throw new Error('there are three');
    await seeIn(ledger, `R${index}`);
    await claimIn(ledger, `R${index}`);
    await ledger.fence();
  });
  await Promise.all(claims);
  const [mark] = await readHighWaterMarks(marksPath);
  expect(mark?.seq).toBe(60);
});

test('a ledger with a hard link is refused', async () => {
  const { path, marksPath } = await makeLedger();
  linkSync(path, `${path}.link`);
  await expect(open(path, marksPath)).rejects.toMatchObject({
    ...refused,
    message: `the ledger ${path} has 2 names (hard links)`,
  });
});

test('marks of an earlier format are refused and stay as they are, and no ledger is opened without them', async () => {
  const { path, marksPath } = await makeLedger();
  change(marksPath, 'PRAGMA user_version = 1');
  const other = {
    kind: 'ledger',
    message: `${marksPath}, which records how far each ledger goes, has format 1; this version reads only format 2`,
    hint: expect.stringContaining('remove this file only if you are sure that no newer ledger exists'),
  };
  await expect(readHighWaterMarks(marksPath)).rejects.toMatchObject(other);
  await expect(open(path, marksPath)).rejects.toMatchObject(other);
  change(marksPath, 'PRAGMA user_version = 2');
  expect(await readHighWaterMarks(marksPath)).toMatchObject([{ path }]);
});

test('two ledgers of one account are both refused until a person says which one is in use', async () => {
  const folder = temporaryFolder();
  const marksPath = join(folder, 'high-water-marks.db');
  const paths = ['0', '1'].map((shop) => join(folder, `${shop}.db`));
  const marks = await openHighWaterMarks(marksPath);
  for (const [index, path] of paths.entries()) {
    const made = join(temporaryFolder(), 'marks.db');
    const shop = String(index);
    await createLedger(path, { ...identity, shop, account: 'A', marksPath: made, clock: stillClock });
    for (const mark of await readHighWaterMarks(made)) marks.add(mark);
  }
  marks.close();
  const [kept = '', other = ''] = paths;
  const expected = { origin: identity.origin, marksPath, clock: stillClock };
  for (const path of paths) await expect(openLedger(path, expected)).rejects.toMatchObject(refused);
  const { ledger, standing } = await openAnyLedger(kept, expected);
  expect(standing.kind).toBe('other');
  await acceptLedger(ledger, groundOf(kept, { marksPath, clock: stillClock }));
  await ledger.close();
  await (await openLedger(kept, expected)).close();
  await expect(openLedger(other, expected)).rejects.toMatchObject(refused);
});

test('marks that cannot be read let a person look, and nobody pay', async () => {
  const { path, folder } = await makeLedger();
  const marksPath = join(folder, 'broken.db');
  writeFileSync(marksPath, 'no database, but long enough to be taken for one '.repeat(100));
  const { ledger, standing } = await openAnyLedger(path, { ...identity, marksPath, clock: stillClock });
  expect(standing.kind).toBe('unmarked');
  await expect(ledger.fence()).rejects.toMatchObject(refused);
  await ledger.close();
  await expect(open(path, marksPath)).rejects.toMatchObject(refused);
});

test('a ledger keeps its mark under another name of the same disk', async () => {
  const { path, marksPath } = await makeLedger();
  renameSync(path, `${path}.moved`);
  await open(`${path}.moved`, marksPath);
  expect(await readHighWaterMarks(marksPath)).toMatchObject([{ path: `${path}.moved` }]);
});

test('marks that cannot be looked at are not taken for none: a new ledger would pay everything again', async () => {
  const { folder } = await makeLedger();
  const path = join(folder, 'loop.db');
  symlinkSync(path, path);
  await expect(readHighWaterMarks(path)).rejects.toThrow('cannot be accessed');
});
