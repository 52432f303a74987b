import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceAtomically } from '../../src/base/atomic-file.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';

const root = join(import.meta.dirname, '../..');

test('a file is replaced whole, for its owner alone, and leaves nothing beside it', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'account');
  for (const text of ['first\n', 'second\n']) {
    replaceAtomically(path, text, 'power');
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['account']);
});

test('a file that cannot be replaced is unchanged, and leaves nothing beside it', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'account');
  mkdirSync(path);
  expect(() => replaceAtomically(path, 'text', 'process')).toThrow();
  expect(readdirSync(folder)).toEqual(['account']);
  const below = join(folder, 'no', 'account');
  expect(() => replaceAtomically(below, 'text', 'process')).toThrow('ENOENT');
});

test('killed at any instant, a writer leaves the old content or the new one', async () => {
  const path = join(temporaryFolder(), 'account');
  const texts = ['a', 'b'].map((letter) => letter.repeat(100_000));
  writeFileSync(path, texts[0] ?? '');
  const program = bundled(`
    import { replaceAtomically } from './src/base/atomic-file.ts';
    process.stdout.write('begun');
    for (;;) for (const letter of 'ab') replaceAtomically(${JSON.stringify(path)}, letter.repeat(100_000), 'process');
  `);
  for (let kill = 0; kill < 5; kill += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect(texts.includes(readFileSync(path, 'utf8'))).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(texts.includes(readFileSync(path, 'utf8'))).toBe(true);
  }
});

test('nothing that is kept in the state folder is written in another way', () => {
  const kept = ['src/store', 'src/config'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  // Append-only files are read up to their last complete line.
  const written = kept.filter((file) => file !== 'src/store/runs/undo-log.ts');
  const writers = [...written, 'src/payer/call-records.ts'].filter((file) =>
    /\b(writeFile|appendFile|renameSync|createWriteStream)/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(writers).toEqual([]);
});
