import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { appendFile, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { openInput } from '../../src/input/open.ts';
import { rereadRecords } from '../../src/input/read.ts';
import { productRecords } from '../../src/input/record-kinds.ts';
import { validateInput } from '../../src/input/validate.ts';
import { plainOptions, surroundings, withFiles } from './reading.ts';

const nothing = surroundings();

describe('every path is readable before anything is read', () => {
  it('a missing file is named', async () => {
    await withFiles({ 'there.csv': '' }, async ([there = '']) => {
      const missing = join(dirname(there), 'missing.csv');
      await expect(openInput([there, missing], nothing)).rejects.toMatchObject({
        kind: 'unreadable-path',
        exitCode: 2,
        message: `${missing} cannot be read: there is no such file`,
        place: { file: missing },
      });
    });
  });

  it('a folder is no file', async () => {
    await withFiles({ 'there.csv': '' }, async ([there = '']) => {
      await expect(openInput([dirname(there)], nothing)).rejects.toMatchObject({
        kind: 'unreadable-path',
        message: `${dirname(there)} cannot be read: it is a folder`,
      });
    });
  });

  it('a file is named once, whatever its names', async () => {
    await withFiles({ 'a.csv': 'originId\n1\n' }, async ([path = ''], folder) => {
      const link = join(folder, 'link.csv');
      await symlink(path, link);
      await expect(openInput([path, path], nothing)).rejects.toMatchObject({
        kind: 'usage',
        message: `${path} is given twice`,
      });
      await expect(openInput([path, link], nothing)).rejects.toMatchObject({
        kind: 'usage',
        message: `${path} and ${link} are the same file`,
      });
    });
  });

  it('standard input can be named once', async () => {
    await expect(openInput(['-', '-'], nothing)).rejects.toMatchObject({ kind: 'usage' });
  });
});

describe('standard input', () => {
  it('is kept in a file only this user can read, read twice, and removed', async () => {
    const stdin = Readable.from([Buffer.from('originId,name\n1,'), Buffer.from('a\n')]);
    const input = await openInput(['-'], surroundings({ stdin }));
    const [file] = input.files;
    if (!file) throw new Error('no file');
    expect(file.shownAs).toBe('-');
    expect(await readFile(file.path, 'utf8')).toBe('originId,name\n1,a\n');
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(file.path))).mode & 0o777).toBe(0o700);

    expect(await validateInput(input, productRecords, plainOptions)).toMatchObject({ count: 1 });
    for await (const batch of rereadRecords(input, productRecords, plainOptions).entries()) {
      expect(batch).toEqual([{ file: '-', line: 2, record: { originId: '1', name: 'a' } }]);
    }

    await input.close();
    await input.close();
    expect(existsSync(dirname(file.path))).toBe(false);
  });

  it('leaves nothing behind when it breaks', async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error('torn'));
      },
    });
    await expect(openInput(['-'], surroundings({ stdin: broken }))).rejects.toMatchObject({
      kind: 'unreadable-path',
      message: '- cannot be read: it could not be copied: torn',
    });
  });

  it('a pipe is read twice as well', async () => {
    await withFiles({ 'p.csv': 'originId\n1\n' }, async ([path = '']) => {
      const pipe = join(dirname(path), 'pipe');
      execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
      const [input] = await Promise.all([openInput([pipe], nothing), writeFile(pipe, 'originId\n7\n')]);
      expect(await validateInput(input, productRecords, plainOptions)).toMatchObject({ count: 1 });
      for await (const batch of rereadRecords(input, productRecords, plainOptions).entries()) {
        expect(batch).toEqual([{ file: pipe, line: 2, record: { originId: '7' } }]);
      }
      await input.close();
    });
  });
});

describe('whoever is stopped before anything is sent, ends at once', () => {
  const interrupted = new Failure('interrupted', 'interrupted before the end');

  it('while standard input is still coming, and leaves nothing behind', async () => {
    await withFiles({}, async (_paths, folder) => {
      vi.stubEnv('TMPDIR', folder);
      const controller = new AbortController();
      const stdin = new Readable({ read: () => undefined });
      stdin.push('originId\n1\n');
      const opened = openInput(['-'], surroundings({ stdin, stopping: controller.signal }));
      await once(stdin, 'data');
      controller.abort(interrupted);
      await expect(opened).rejects.toBe(interrupted);
      expect(readdirSync(folder)).toEqual([]);
      vi.unstubAllEnvs();
    });
  });

  it.each([
    ['in the first pass', { encoding: 'utf-8' }],
    ['while the encoding is looked for', {}],
  ] as const)('%s', async (_when, options) => {
    await withFiles({ 'p.csv': 'originId\n1\n' }, async (paths) => {
      const controller = new AbortController();
      const input = await openInput(paths, surroundings({ stopping: controller.signal }));
      controller.abort(interrupted);
      await expect(validateInput(input, productRecords, { ...plainOptions, ...options })).rejects.toBe(
        interrupted,
      );
    });
  });
});

describe('a file that changes after it was opened', () => {
  const changed = {
    kind: 'input',
    exitCode: 3,
    message: expect.stringContaining('changed while it was being read'),
  };

  it('is not read as if it were the same', async () => {
    await withFiles({ 'p.csv': 'originId\n1\n' }, async (paths) => {
      const input = await openInput(paths, nothing);
      await appendFile(paths[0] ?? '', '2\n');
      await expect(validateInput(input, productRecords, plainOptions)).rejects.toMatchObject(changed);
    });
  });

  it('is noticed while it is read', async () => {
    await withFiles(
      { 'p.csv': `originId\n${Array.from({ length: 100_000 }, (_, n) => `${n}\n`).join('')}` },
      async (paths) => {
        const input = await openInput(paths, nothing);
        let isFirst = true;
        const add = () => {
          if (isFirst) appendFileSync(paths[0] ?? '', '2\n');
          isFirst = false;
        };
        const kept = { ...rereadRecords(input, productRecords, plainOptions), add };
        await expect(validateInput(input, productRecords, plainOptions, kept)).rejects.toMatchObject(changed);
      },
    );
  });
});
