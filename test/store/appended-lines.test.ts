import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { AppendedLines } from '../../src/store/runs/appended-lines.ts';
import { temporaryFolder } from '../push/open-push.ts';

const newPath = () => join(temporaryFolder(), 'a', 'b', 'lines');

test('the file of the lines, and its folder, are made with the first one, for this user alone', async () => {
  const path = newPath();
  const lines = new AppendedLines(path);
  await lines.close();
  expect(existsSync(dirname(dirname(path)))).toBe(false);
  await lines.add('one');
  expect([dirname(path), path].map((made) => statSync(made).mode & 0o777)).toEqual([0o700, 0o600]);
  await lines.close();
});

test('a line is in the file once it is kept, and closing awaits those on their way', async () => {
  const path = newPath();
  const lines = new AppendedLines(path);
  await lines.add('one');
  expect(readFileSync(path, 'utf8')).toBe('one\n');
  const [two, three] = [lines.add('two'), lines.add('three')];
  // Both lines of one turn share a write.
  expect(two).toBe(three);
  void lines.add('four');
  await lines.close();
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\nfour\n');
});

test('no file is added to that was there before', async () => {
  const path = newPath();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'kept');
  const lines = new AppendedLines(path);
  await expect(lines.add('one')).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(path, 'utf8')).toBe('kept');
  // Part of the first line may be lost, so nothing is written after it, even if possible.
  rmSync(path);
  await expect(lines.add('two')).rejects.toMatchObject({ code: 'EEXIST' });
  const last = lines.add('three').catch(() => 'lost');
  await lines.close();
  expect(await last).toBe('lost');
  expect(existsSync(path)).toBe(false);
});
