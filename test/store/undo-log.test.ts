import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type LastingRecord,
  openUndoLog,
  readUndoLog,
  type UndoRecord,
} from '../../src/store/runs/undo-log.ts';
import { listUndoLogs, undoableRuns } from '../../src/store/runs/undo-log-files.ts';
import { temporaryFolder } from '../push/open-push.ts';

const nowMs = Date.parse('2026-11-22T23:30:00Z');

function updated(line: number) {
  const changes = { name: { from: `from ${line}\u2028\n`, to: '머그컵 🫖' } };
  return { kind: 'updated', file: 'a b.csv', line, originId: `P${line}`, id: String(line), changes } as const;
}

const { changes: _, ...unchanged } = updated(2);
const created = { ...unchanged, kind: 'created' } as const;

async function readAll(folder: string, run: string): Promise<readonly UndoRecord[]> {
  const records: UndoRecord[] = [];
  const files = listUndoLogs(folder, nowMs).filter((file) => file.run === run);
  for await (const batch of readUndoLog(folder, files)) records.push(...batch);
  return records;
}

test('what many keep at once is read back whole and in order, however long it is, but for what was cancelled', async () => {
  const folder = temporaryFolder();
  const log = openUndoLog(folder, { run: 'abc123', nowMs, days: 30 });
  const records = Array.from({ length: 5000 }, (_, line) => updated(line));
  await Promise.all(records.map((record) => log.beforeUpdate(record)));
  for (const record of records.slice(0, 2)) await log.cancelUpdate(record);
  await log.close();
  expect(await readAll(folder, 'abc123')).toEqual(records.slice(2));
});

test('a run that changed nothing leaves no file, and creations alone make no run undoable', async () => {
  const folder = temporaryFolder();
  const log = openUndoLog(folder, { run: 'abc123', nowMs, days: 30 });
  expect(readdirSync(folder)).toEqual([]);
  await log.afterWrite(created);
  expect(log.undoableUntil).toBeUndefined();
  await log.beforeUpdate(updated(3));
  expect(log.undoableUntil).toBe('2026-12-22');
  await log.close();
  const creating = openUndoLog(folder, { run: 'abc124', nowMs, days: 30 });
  await creating.afterWrite(created);
  await creating.close();
  const again = openUndoLog(folder, { run: 'abc124', nowMs, days: 30 });
  await expect(again.afterWrite(created)).rejects.toThrow('EEXIST');
  const kept = join(folder, 'undo');
  const modes = [kept, ...readdirSync(kept).map((name) => join(kept, name))].map(
    (path) => statSync(path).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
  expect([...undoableRuns(folder, nowMs)]).toEqual([['abc123', '2026-12-22']]);
});

test('with 0 days nothing is kept', async () => {
  const folder = temporaryFolder();
  const log = openUndoLog(folder, { run: 'abc123', nowMs, days: 0 });
  await log.beforeUpdate(updated(2));
  await log.afterWrite({ kind: 'unseen', file: 'a.csv', line: 3, originId: 'P3', id: '3' });
  await log.close();
  expect({ files: readdirSync(folder), until: log.undoableUntil }).toEqual({ files: [], until: undefined });
});

test('a file counts to the end of its last day, and then goes with the next run; other files stay', async () => {
  const folder = temporaryFolder();
  const log = openUndoLog(folder, { run: 'abc123', nowMs, days: 1 });
  await log.beforeUpdate(updated(2));
  await log.close();
  writeFileSync(join(folder, 'undo', 'notes.txt'), '');
  const lastMs = Date.parse('2026-11-23T23:59:59Z');
  for (const [at, count] of [
    [lastMs, 1],
    [lastMs + 1000, 0],
  ] as const) {
    expect(listUndoLogs(folder, at)).toHaveLength(count);
    openUndoLog(folder, { run: 'abc124', nowMs: at, days: 30 });
    expect(readdirSync(join(folder, 'undo'))).toHaveLength(count + 1);
  }
});

test('cut off at any byte, a log is read up to its last whole line', async () => {
  const folder = temporaryFolder();
  const log = openUndoLog(folder, { run: 'abc123', nowMs, days: 30 });
  for (const line of [1, 2, 3]) await log.beforeUpdate(updated(line));
  await log.close();
  const [name = ''] = readdirSync(join(folder, 'undo'));
  const path = join(folder, 'undo', name);
  const whole = readFileSync(path);
  for (let length = 0; length <= whole.length; length += 1) {
    const piece = whole.subarray(0, length);
    writeFileSync(path, piece);
    const lines = piece.filter((byte) => byte === 0x0a).length;
    expect(await readAll(folder, 'abc123')).toHaveLength(lines);
  }
});

test('once a line could not be kept, none after it is', async () => {
  const folder = temporaryFolder();
  const log = openUndoLog(folder, { run: 'abc123', nowMs, days: 30 });
  writeFileSync(join(folder, 'undo'), '');
  for (const line of [1, 2]) {
    await expect(log.beforeUpdate(updated(line))).rejects.toMatchObject({
      kind: 'unwritable-path',
      message: expect.stringMatching(/^the undo log of run abc123 cannot be written to .+: E/),
      hint: expect.stringContaining('-c undo-days=0'),
    });
    // Part of the first line may be lost, so nothing is written after it, even if possible.
    rmSync(join(folder, 'undo'), { force: true });
  }
  await log.close();
  expect(log.undoableUntil).toBeUndefined();
});

const damaged: readonly (readonly [string, unknown])[] = [
  ...['file', 'originId', 'id'].map(
    (name) => [`an update with a number as its ${name}`, { ...updated(2), [name]: 1 }] as const,
  ),
  ...['file', 'originId', 'id'].map(
    (name) => [`a creation with a number as its ${name}`, { ...created, [name]: 1 }] as const,
  ),
  ['a record with a text as its line', { ...updated(2), line: '2' }],
  ['a creation with a text as its line', { ...created, line: '2' }],
  ['a record of another kind', { ...created, kind: 'deleted' }],
  ['an update without changes', { ...unchanged, kind: 'updated' }],
  ['an update from nothing', { ...updated(2), changes: { name: { to: 'a' } } }],
  ['an update to nothing', { ...updated(2), changes: { name: { from: 'a' } } }],
  ['an update whose change is a text', { ...updated(2), changes: { name: 'a' } }],
  ['a list', [updated(2)]],
];

test.each(damaged)('a log with %s is damaged', async (_, record) => {
  const folder = temporaryFolder();
  const log = openUndoLog(folder, { run: 'abc123', nowMs, days: 30 });
  await log.beforeUpdate(updated(1));
  await log.close();
  const [name = ''] = readdirSync(join(folder, 'undo'));
  const path = join(folder, 'undo', name);
  writeFileSync(path, `${JSON.stringify(record)}\n`);
  await expect(readAll(folder, 'abc123')).rejects.toMatchObject({
    kind: 'unreadable-path',
    message: expect.stringContaining(`the undo log ${path} cannot be read: not a record: `),
    hint: 'restore it from a backup; without it the earlier values have to be pushed from a file',
  });
});

test('what was created, or changed without having been seen, is read back', async () => {
  const folder = temporaryFolder();
  const log = openUndoLog(folder, { run: 'abc123', nowMs, days: 30 });
  const records = [created, { ...unchanged, kind: 'unseen' }] as const;
  for (const record of records) await log.afterWrite(record as LastingRecord);
  await log.close();
  expect(await readAll(folder, 'abc123')).toEqual(records);
});
