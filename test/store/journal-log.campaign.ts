import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { type CopyLog, copyLogApart } from '../../src/base/copy-log.ts';
import type { JournalEntry, RunJournal } from '../../src/store/journal/push-journal.ts';
import { openSqlitePushJournal } from '../../src/store/sqlite/journal/sqlite-push-journal.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';

/* The write-ahead log of the journal is copied into the file by another thread, so that no request waits for the disk. */

const freshPath = () => join(temporaryFolder(), 'pushes.db');

const itemsFrom = (first: number, count: number): readonly JournalEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    originId: `I${first + index}`,
    contentHash: 'h'.repeat(11),
  }));

async function accept(journal: RunJournal, first: number): Promise<void> {
  const entries = itemsFrom(first, 100);
  const request = await journal.begin('order-item', entries);
  await journal.end('order-item', request, { accepted: entries.map((entry) => ({ entry })) });
}

/** So many requests of 100 records, 16 at once. */
async function acceptMany(journal: RunJournal, requests: number): Promise<void> {
  for (let first = 0; first < requests; first += 16) {
    await Promise.all(Array.from({ length: 16 }, (_, index) => accept(journal, (first + index) * 100)));
  }
}

/** A number in the log of the file at `path` that is one more each time the log begins anew. */
function saltOf(path: string): number {
  return readFileSync(`${path}-wal`).readUInt32BE(16);
}

/** Copies as the program does, and keeps the promises of that. */
function watched() {
  const copies: Promise<void>[] = [];
  const copy: CopyLog = (path, hold) => {
    const copying = copyLogApart(path, hold);
    copies.push(copying);
    return copying;
  };
  return { copies, copy };
}

test('a log that has grown long is copied beside the requests under way, and begins anew', async () => {
  const path = freshPath();
  const { copies, copy } = watched();
  const journal = await openSqlitePushJournal(path, { log: { maximum: 300_000, copy } });
  await journal.begin('category', itemsFrom(0, 1));
  const salt = saltOf(path);
  await acceptMany(journal, 640);
  await Promise.all(copies);
  expect(copies.length).toBeGreaterThan(0);
  // The first part of a copy omits concurrent writes; where there is none just then, the log begins anew after it, too.
  const restarts = (saltOf(path) - salt) >>> 0;
  expect(restarts).toBeGreaterThanOrEqual(copies.length);
  expect(restarts).toBeLessThanOrEqual(2 * copies.length);
  expect(statSync(path).size).toBeGreaterThan(300_000);
  await acceptMany(journal, 16);
  await journal.close();
  expect((await (await openSqlitePushJournal(path)).known('order-item', ['I0', 'I63999'])).size).toBe(2);
});

test('the thread that sends copies nothing itself, whether requests are under way or not', async () => {
  const path = freshPath();
  let calls = 0;
  const copy: CopyLog = async () => {
    calls += 1;
  };
  const journal = await openSqlitePushJournal(path, { log: { maximum: 300_000, copy } });
  const long = Array.from({ length: 20_000 }, (_, index) => ({
    originId: `${index}`,
    contentHash: 'h'.repeat(900),
  }));
  await journal.end('order-item', await journal.begin('order-item', long), { unknown: long });
  await acceptMany(journal, 128);
  expect(calls).toBeGreaterThan(0);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(16_000_000);
  expect(statSync(path).size).toBeLessThan(10_000);
  await journal.close();
  expect(statSync(path).size).toBeGreaterThan(16_000_000);
});

test('while the last of a copy waits for the disk, writes wait for it and everything else goes on', async () => {
  let isHeld: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  let end: () => void = () => undefined;
  const copy: CopyLog = async (_path, hold) => {
    await hold();
    isHeld();
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  };
  const journal = await openSqlitePushJournal(freshPath(), { log: { maximum: 1, copy } });
  await acceptMany(journal, 64);
  await held;
  const order: string[] = [];
  const begun = journal.begin('order-item', itemsFrom(0, 1)).then(() => order.push('begun'));
  const closed = journal.close().then(() => order.push('closed'));
  expect((await journal.known('order-item', ['I0', 'none'])).size).toBe(1);
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  order.push('copied');
  end();
  await Promise.all([begun, closed]);
  expect(order).toEqual(['copied', 'begun', 'closed']);
});

test('a copy that fails holds nothing up, and the next one is tried', async () => {
  let calls = 0;
  const copy: CopyLog = async (_path, hold) => {
    calls += 1;
    await hold();
    throw new Error('no thread');
  };
  const path = freshPath();
  const journal = await openSqlitePushJournal(path, { log: { maximum: 1, copy } });
  await acceptMany(journal, 256);
  expect(calls).toBeGreaterThan(1);
  await journal.close();
  expect((await (await openSqlitePushJournal(path)).known('order-item', ['I0', 'I25599'])).size).toBe(2);
});

test('a file that cannot be opened by the thread is left to the next copy', async () => {
  await copyLogApart(join(temporaryFolder(), 'missing', 'pushes.db'), async () => undefined);
});

test('killed at any instant of a copy, the journal knows all that was accepted', async () => {
  const path = freshPath();
  const program = bundled(`
    import { openSqlitePushJournal } from './src/store/sqlite/journal/sqlite-push-journal.ts';
    import { copyLogApart } from './src/base/copy-log.ts';
    const say = (line) => process.stdout.write(line + '\\n');
    const copy = async (path, hold) => {
      say('copying');
      await copyLogApart(path, async () => { await hold(); say('held'); });
      say('copied');
    };
    const journal = await openSqlitePushJournal(${JSON.stringify(path)}, { log: { maximum: 200_000, copy } });
    const accept = async (number) => {
      const entries = Array.from({ length: 100 }, (_, index) => ({ originId: number + '-' + index, contentHash: 'h' }));
      const request = await journal.begin('order-item', entries);
      await journal.end('order-item', request, { accepted: entries.map((entry) => ({ entry })) });
      say(String(number));
    };
    for (let first = Number(process.argv[1]); ; first += 16)
      await Promise.all(Array.from({ length: 16 }, (_, index) => accept(first + index)));
  `);
  const accepted: string[] = [];
  for (const [round, [word, more]] of [
    ['copying', 0],
    ['held', 0],
    ['copied', 0],
    ['copying', 3],
    ['held', 20],
    ['copied', 1],
  ].entries() as Iterable<[number, [string, number]]>) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, String(round * 100_000)]);
    let wait = Number.POSITIVE_INFINITY;
    for await (const line of createInterface(child.stdout)) {
      if (line === word) wait = Math.min(wait, more);
      else if (/^\d/.test(line)) accepted.push(line);
      if (wait === 0) child.kill('SIGKILL');
      wait -= 1;
    }
    const journal = await openSqlitePushJournal(path);
    const ids = accepted.map((number) => `${number}-99`);
    expect((await journal.known('order-item', ids)).size, `killed at ${word} + ${more}`).toBe(ids.length);
    await journal.close();
  }
  expect(accepted.length).toBeGreaterThan(64);
}, 60_000);
