import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Failure } from '../../src/base/failure.ts';
import { seededRandom } from '../../src/base/random.ts';
import { openDatabase } from '../../src/base/sqlite.ts';
import { answered } from '../../src/settle/rules/transitions.ts';
import { backupLedger } from '../../src/store/ledger/backup-ledger.ts';
import { acceptLedger } from '../../src/store/ledger/install-ledger.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { ExpectedLedger } from '../../src/store/ledger/ledger-store.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { identity, plainPayer } from '../settle/entries.ts';
import { all } from './all-pages.ts';
import { by, claimIn, seeIn } from './ledger-steps.ts';
import { wrongIn } from './ledger-suite.ts';
import {
  createLedger,
  groundOf,
  makeLedger,
  openAnyLedger,
  openLedger,
  openUntilEnd,
  stillClock,
} from './open-ledger-place.ts';

type Place = Awaited<ReturnType<typeof makeLedger>>;

/** Opens a ledger as a settlement does, until the test ends. */
async function open(
  { path, marksPath }: Pick<Place, 'path' | 'marksPath'>,
  changes: Partial<ExpectedLedger> = {},
) {
  const ledger = await openLedger(path, { ...identity, marksPath, clock: stillClock, ...changes });
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Opens a ledger as a person does to inspect it, until the test ends. */
async function look({ path, marksPath }: Pick<Place, 'path' | 'marksPath'>) {
  const opened = await openAnyLedger(path, { ...identity, marksPath, clock: stillClock });
  onTestFinished(() => opened.ledger.close());
  return opened;
}

/** A ledger with that many paid rewards, all in its one file. */
async function makePaid(rewards: number): Promise<Place> {
  const place = await makeLedger();
  const ledger = await open(place);
  for (let reward = 1; reward <= rewards; reward += 1) {
    await seeIn(ledger, `R${reward}`);
    await claimIn(ledger, `R${reward}`);
    await ledger.change(`R${reward}`, answered(1, { kind: 'paid', ref: 'T' }, plainPayer), { by });
  }
  const database = await openDatabase(place.path, { durability: 'power' });
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return place;
}

/** A copy of the same ledger, which nobody has open. */
function copied({ folder, path, marksPath }: Place, name: string, change = (bytes: Buffer) => bytes): Place {
  const copy = join(folder, name);
  writeFileSync(copy, change(readFileSync(path)));
  return { folder, path: copy, marksPath };
}

const refusal = (message: string | RegExp, hint: string | RegExp) => ({
  kind: 'ledger',
  exitCode: 12,
  message: expect.stringMatching(message),
  hint: expect.stringMatching(hint),
});

/** Faults around the ledger, which no restore would fix. */
const unusable = (message: string | RegExp, hint: string | RegExp) => ({
  ...refusal(message, hint),
  kind: 'unwritable-path',
  exitCode: 2,
});

test('a ledger that is missing is asked for, never made', async () => {
  const path = join(temporaryFolder(), 'ledger.db');
  const marksPath = `${path}.marks`;
  await expect(open({ path, marksPath })).rejects.toMatchObject(
    refusal(`there is no ledger at ${path}$`, 'reviewctl ledger init'),
  );
  expect([path, marksPath].filter((file) => existsSync(file))).toEqual([]);
});

test('a ledger that was deleted is missed', async () => {
  const place = await makePaid(1);
  for (const part of ['', '-wal', '-shm']) rmSync(place.path + part, { force: true });
  await expect(open(place)).rejects.toMatchObject(
    refusal(
      `but there was one for the shop 'shop' of https://api.example/? at ${place.path}, with 3 events`,
      'newest backup',
    ),
  );
  expect(existsSync(place.path)).toBe(false);
});

test('of two that make a ledger at once one does, and the other changes nothing', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'ledger.db');
  const made = await Promise.allSettled(
    ['one', 'two'].map((shop) =>
      createLedger(path, { ...identity, shop, marksPath: join(folder, 'marks.db'), clock: stillClock }),
    ),
  );
  expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('another shop or account is refused, unless the ledger knows the account', async () => {
  const place = await makeLedger({ account: 'A' });
  await expect(open(place, { shop: 'another' })).rejects.toMatchObject(
    refusal("belongs to the shop 'shop' at https://api.example, not to 'another' at", 'profile'),
  );
  await expect(open(place, { account: 'B' })).rejects.toMatchObject(
    refusal('another account', 'reviewctl login --same-shop$'),
  );
  const ledger = await open(place, { account: 'A' });
  await ledger.addAccount('B');
  await open(place, { account: 'B' });
});

test('a ledger cut off at any length is refused', async () => {
  const place = await makePaid(12);
  const { size } = statSync(place.path);
  const random = seededRandom(4);
  const lengths = [0, 1, 99, 100, 4_096, size - 1, size - 4_096];
  for (let index = 0; index < 20; index += 1) lengths.push(Math.floor(random() * size));
  for (const length of lengths) {
    const cut = copied(place, `cut-${length}.db`, (bytes) => bytes.subarray(0, length));
    await expect(open(cut), `cut to ${length} of ${size}`).rejects.toMatchObject(
      refusal(/is not a ledger|is damaged|cannot be used/, 'backup'),
    );
  }
});

test('a bit that changed is noticed when the ledger is opened, read or verified: by none is anything paid again', async () => {
  const place = await makePaid(6);
  const { size } = statSync(place.path);
  const content = await contentOf((await look(place)).ledger);
  const random = seededRandom(9);
  const counts = { refused: 0, told: 0, unused: 0 };
  for (let index = 0; index < 150; index += 1) {
    const at = Math.floor(random() * size);
    const bent = copied(place, `bent-${index}.db`, (bytes) => {
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      return bytes;
    });
    const word = await wordOn(bent, content, at);
    counts[word] += 1;
    for (const part of ['', '-wal', '-shm']) rmSync(bent.path + part, { force: true });
  }
  expect(counts.refused).toBeGreaterThan(0);
  expect(counts.told).toBeGreaterThan(0);
});

async function contentOf(ledger: Ledger) {
  return {
    entries: await all(ledger.entries()),
    events: await all(ledger.events()),
    budgets: await ledger.budgets(''),
    frozen: (await ledger.meta()).frozen,
  };
}

/**
 * The result of opening a ledger with one changed byte. Fails if a paid reward could be claimed again, or if the change
 * is not detected.
 */
async function wordOn(place: Place, content: unknown, at: number): Promise<'refused' | 'told' | 'unused'> {
  const isRefusal = (error: unknown) => (error as { readonly kind?: unknown }).kind === 'ledger';
  try {
    const { ledger } = await openAnyLedger(place.path, {
      ...identity,
      marksPath: place.marksPath,
      clock: stillClock,
    });
    const wrong = await wrongIn(ledger);
    for (let reward = 1; reward <= 6; reward += 1) {
      const claimed = await claimIn(ledger, `R${reward}`).catch((error: unknown) => {
        if (isRefusal(error)) return { kind: 'kept' };
        throw error;
      });
      expect(claimed.kind, `byte ${at}, R${reward}`).toBe('kept');
    }
    if (wrong.length === 0) expect(await contentOf(ledger), `byte ${at}`).toEqual(content);
    await ledger.close();
    return wrong.length > 0 ? 'told' : 'unused';
  } catch (error) {
    if (isRefusal(error)) return 'refused';
    throw error;
  }
}

test('a copy from before the last outcome is refused, by how far the ledger was known to be', async () => {
  const place = await makePaid(2);
  const older = copied(place, 'older.db');
  const ledger = await open(place);
  await seeIn(ledger, 'R3');
  await claimIn(ledger, 'R3');
  await ledger.fence();
  await expect(open(older)).rejects.toMatchObject(
    refusal('is out of date: it ends at event 6, but event 8 was recorded', 'newest.*ledger accept'),
  );
  const { ledger: looked, standing } = await look(older);
  expect({ seq: await looked.lastSeq(), standing }).toMatchObject({ seq: 6, standing: { kind: 'older' } });
  await expect(looked.fence()).rejects.toMatchObject({ kind: 'ledger', exitCode: 12 });
  await acceptLedger(looked, groundOf(older.path, { ...older, clock: stillClock }));
  expect((await (await open(older)).meta()).frozen).toMatch(/^accepted as the ledger in use on /);
  await expect(open(place)).rejects.toMatchObject({ kind: 'ledger' });
  await expect(ledger.fence()).rejects.toMatchObject({ kind: 'ledger' });
});

test('a folder, a text and an empty file are no ledgers, and stay what they are', async () => {
  const { folder, marksPath } = await makeLedger();
  await expect(open({ path: folder, marksPath })).rejects.toMatchObject(unusable('cannot be used', 'backup'));
  for (const [name, text] of [
    ['text.db', 'reward,amount\n'.repeat(500)],
    ['empty.db', ''],
  ] as const) {
    const path = join(folder, name);
    writeFileSync(path, text);
    await expect(open({ path, marksPath })).rejects.toMatchObject(
      refusal(/is not a ledger|not a database/, 'backup'),
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(existsSync(`${path}-wal`)).toBe(false);
  }
});

/** The failure for a user without write access, unlike this process; the write permission of `what` is removed before. */
async function toldWithoutRights({ folder, path, marksPath }: Place, what: string): Promise<string> {
  chmodSync(folder, 0o755);
  chmodSync(path, 0o644);
  chmodSync(what, statSync(what).isDirectory() ? 0o555 : 0o444);
  const program = bundled(`
    import { loadSqlite } from './src/base/sqlite.ts';
    import { locationAt } from './src/store/ledger/ledger-location.ts';
    import { sqliteLedgerStore } from './src/store/ledger/sqlite-ledger-store.ts';
    await loadSqlite();
    if (process.getuid() === 0) process.setuid(65534);
    const [path, marksPath] = process.argv.slice(1);
    const clock = { now: () => 0, monotonicMs: () => 0, sleep: async () => undefined };
    const store = sqliteLedgerStore(locationAt(path, marksPath));
    const expected = { ...${JSON.stringify(identity)}, isAnyDisk: true, clock };
    const told = await store.open(expected).then(() => 'opened', ({ kind, message }) => kind + ': ' + message);
    process.stdout.write(told);
  `);
  const args = ['--input-type=module', '-e', program, path, marksPath];
  const { stdout } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  chmodSync(what, 0o755);
  return stdout;
}

test('a ledger that may only be read is refused, be it the file or its folder, and stays as it was', async () => {
  for (const part of ['path', 'folder'] as const) {
    const place = await makePaid(1);
    const copy = copied(place, 'copy.db');
    const before = readFileSync(copy.path);
    const told = await toldWithoutRights(copy, copy[part]);
    expect(told).toMatch(/^unwritable-path: the ledger .*copy\.db cannot be used: /);
    expect(readFileSync(copy.path)).toEqual(before);
  }
});

test('a backup is whole, frozen, for its owner alone, and takes the place of nothing', async () => {
  const place = await makePaid(3);
  const file = join(place.folder, 'backup.db');
  await seeIn(await open(place), 'R4');
  await backupLedger(place.path, file, { clock: stillClock });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(existsSync(`${file}-wal`)).toBe(false);
  const kept = readFileSync(file);
  await expect(backupLedger(place.path, file, { clock: stillClock })).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining('backup.db exists already'),
    hint: expect.stringContaining('new file'),
  });
  expect(readFileSync(file)).toEqual(kept);
  copyFileSync(file, join(place.folder, 'restored.db'));
  const { ledger: restored, standing } = await look({ ...place, path: join(place.folder, 'restored.db') });
  expect(standing.kind).toBe('copy');
  expect((await restored.meta()).frozen).toBe('restored from a backup of 2026-01-01T14:59:00.000Z');
  expect(await wrongIn(restored)).toEqual([]);
  expect(await claimIn(restored, 'R4')).toMatchObject({ kind: 'kept', reason: { kind: 'frozen' } });
  expect(await (await open(place)).meta()).toMatchObject({ frozen: null });
});

test('a backup that meets the log of the lost ledger is refused, or is the newest state after all', async () => {
  for (const since of [0, 1, 3, 9]) {
    const place = await makePaid(4);
    await backupLedger(place.path, join(place.folder, 'backup.db'), { clock: stillClock });
    const ledger = await open(place);
    for (let reward = 1; reward <= since; reward += 1) {
      await seeIn(ledger, `S${reward}`);
      await claimIn(ledger, `S${reward}`);
    }
    const path = join(place.folder, 'restored.db');
    copyFileSync(join(place.folder, 'backup.db'), path);
    copyFileSync(`${place.path}-wal`, `${path}-wal`);
    const seqOrKind = await open({ ...place, path }).then(
      (restored) => restored.lastSeq(),
      ({ kind }: Failure) => kind,
    );
    expect([await ledger.lastSeq(), 'ledger'], `${since} rewards later`).toContain(seqOrKind);
  }
});

test('a backup of a frozen ledger says why it was frozen, and that it is one', async () => {
  const place = await makeLedger();
  await (await openUntilEnd(place.path)).freeze('the payer moves');
  const file = join(place.folder, 'backup.db');
  await backupLedger(place.path, file, { clock: stillClock });
  const backup = await openUntilEnd(file);
  expect((await backup.meta()).frozen).toBe('the payer moves');
  expect((await backup.meta()).restoration).toMatchObject({
    acceptedAtMs: null,
    comparedAtMs: null,
    lostEvents: null,
  });
});

test('a damaged ledger is not backed up, and a backup that cannot be written leaves nothing', async () => {
  const place = await makePaid(12);
  const cut = copied(place, 'cut.db', (bytes) => bytes.subarray(0, bytes.length - 4_096));
  const file = join(place.folder, 'backup.db');
  await expect(backupLedger(cut.path, file, { clock: stillClock })).rejects.toMatchObject({ kind: 'ledger' });
  expect(existsSync(file)).toBe(false);
  await expect(
    backupLedger(place.path, join(place.folder, 'none', 'b.db'), { clock: stillClock }),
  ).rejects.toMatchObject(unusable('cannot be written', 'new file'));
});
