import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { version } from '../../src/base/version.ts';
import { createHarFile } from '../../src/store/profile/har-file.ts';
import { temporaryFolder } from '../push/open-push.ts';

test('a recording is whole after each entry, for this user alone', () => {
  const path = join(temporaryFolder(), 'run.har');
  const file = createHarFile(path);
  const entries: object[] = [];
  const read = () => JSON.parse(readFileSync(path, 'utf8'));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  for (const url of ['', '/사과', '/b']) {
    expect(read()).toEqual({
      log: {
        version: '1.2',
        creator: { name: 'reviewctl', version },
        comment: 'without credentials, and with words in place of what is about persons',
        entries,
      },
    });
    entries.push({ url });
    file.append({ url });
  }
  file.close();
  expect(read().log.entries).toEqual(entries);
  expect(readFileSync(path, 'utf8')).toMatch(/"entries":\[\n\{"url":""\},\n.+,\n.+\n\]\}\}\n$/);
});

test('an entry that cannot be written leaves those before it, and room for the next', () => {
  const path = join(temporaryFolder(), 'run.har');
  const file = createHarFile(path);
  file.append({ number: 1 });
  expect(() => file.append({ number: 2n })).toThrow('BigInt');
  expect(JSON.parse(readFileSync(path, 'utf8')).log.entries).toEqual([{ number: 1 }]);
  file.append({ number: 3 });
  file.close();
  expect(JSON.parse(readFileSync(path, 'utf8')).log.entries).toEqual([{ number: 1 }, { number: 3 }]);
});

test('a recording never replaces a file, and needs a folder', () => {
  const folder = temporaryFolder();
  const [path, nowhere] = [join(folder, 'run.har'), join(folder, 'no', 'run.har')];
  writeFileSync(path, 'kept');
  expect(() => createHarFile(path)).toThrow(
    expect.objectContaining({
      kind: 'usage',
      message: `--record: ${path} exists already, and is not overwritten`,
      hint: 'name another file, or remove this one first',
    }),
  );
  expect(readFileSync(path, 'utf8')).toBe('kept');
  expect(() => createHarFile(nowhere)).toThrow(
    expect.objectContaining({
      kind: 'unwritable-path',
      message: expect.stringMatching(`^--record: ${nowhere} cannot be created: ENOENT`),
      hint: 'name a file in a folder that exists and that you may write to',
    }),
  );
});
