import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { appendFile, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { charsetNamed } from '../../src/input/open/charset.ts';
import { openInput } from '../../src/input/open/open.ts';
import type { InputOptions } from '../../src/input/records/options.ts';
import {
  type Identified,
  type ProductRecord,
  productRecords,
  type RecordKind,
} from '../../src/input/records/record-kinds.ts';
import { validateInput } from '../../src/input/validate.ts';
import { HeldRecords, plainOptions, read, surroundings, withFiles } from './reading.ts';
import { oneSheet } from './write-xlsx.ts';

const korean = await charsetNamed('cp949');

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

  it('a path without a character is shown', async () => {
    await expect(openInput([''], nothing)).rejects.toMatchObject({
      message: expect.stringMatching(/^'' cannot be read: /),
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
    await withFiles('originId\n1\n', async ([path = ''], folder) => {
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

/** Standard input that arrives in these pieces. */
const piped = (...pieces: readonly (string | Uint8Array)[]) =>
  Readable.from(pieces.map((piece) => Buffer.from(piece)));

/** Reads standard input, and expects that nothing is copied to the folder of temporary files. */
async function readPiped<T extends Identified>(
  kind: RecordKind<T>,
  pieces: readonly (string | Uint8Array)[],
  options: Partial<InputOptions> = {},
) {
  return withFiles({}, async (_paths, folder) => {
    vi.stubEnv('TMPDIR', folder);
    const input = await openInput(['-'], surroundings({ stdin: piped(...pieces) }));
    try {
      const held = new HeldRecords<T>();
      const validation = await validateInput(input, kind, { ...plainOptions, ...options }, held);
      return { ...validation, records: held.all.map(({ record }) => record), copies: readdirSync(folder) };
    } finally {
      await input.close();
      expect(readdirSync(folder)).toEqual([]);
      vi.unstubAllEnvs();
    }
  });
}

describe('standard input', () => {
  it('is read once, and nowhere copied', async () => {
    const { records, copies } = await readPiped(productRecords, ['originId,name\n1,', 'a\n']);
    expect(records).toEqual([{ originId: '1', name: 'a' }]);
    expect(copies).toEqual([]);
  });

  it('is not waited for before it is read', async () => {
    const stdin = new Readable({ read: () => undefined });
    const input = await openInput(['-'], surroundings({ stdin }));
    expect(input.files).toMatchObject([{ shownAs: '-' }]);
    await input.close();
  });

  it('is unpacked where gzip packed it', async () => {
    const packed = gzipSync('originId,name\n1,a\n');
    const { records, copies } = await readPiped(productRecords, [packed.subarray(0, 2), packed.subarray(2)]);
    expect(records).toEqual([{ originId: '1', name: 'a' }]);
    expect(copies).toEqual([]);
  });

  it('that breaks off inside a gzip file is read up to there', async () => {
    const packed = gzipSync(
      `originId,name\n${Array.from({ length: 500 }, (_, n) => `${n},${n * 7919}\n`).join('')}`,
    );
    const { problems, count } = await readPiped(productRecords, [packed.subarray(0, packed.length / 2)]);
    expect(problems).toMatchObject([{ code: 'broken-gzip', line: count + 2 }]);
    expect(count).toBeGreaterThan(100);
  });

  it('that is empty has no records', async () => {
    const { count, notices } = await readPiped(productRecords, []);
    expect(count).toBe(0);
    expect(notices).toMatchObject([{ code: 'empty-file', message: '- is empty' }]);
  });

  it('that gives blank lines without end is refused', async () => {
    const stdin = Readable.from(
      (function* () {
        yield 'originId,name\n1,a\n';
        for (;;) yield '\r\n \n'.repeat(10_000);
      })(),
    );
    const input = await openInput(['-'], surroundings({ stdin }));
    const { problems, count } = await validateInput(input, productRecords, plainOptions);
    await input.close();
    expect({ problems, count }).toMatchObject({ problems: [{ code: 'blank-lines', line: 3 }], count: 1 });
  });
});

describe('standard input is kept in a private file', () => {
  it('where it is a workbook, which is read here and there', async () => {
    const rows = [
      ['originId', 'name'],
      ['1', 'a'],
    ];
    const book = oneSheet(rows);
    const input = await openInput(
      ['-'],
      surroundings({ stdin: piped(book.subarray(0, 50), book.subarray(50)) }),
    );
    const held = new HeldRecords<ProductRecord>();
    await validateInput(input, productRecords, plainOptions, held);
    expect(held.all).toMatchObject([{ file: '-', line: 2, record: { originId: '1', name: 'a' } }]);
    const { path } = (await input.files[0]?.onDisk()) ?? { path: '' };
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    await input.close();
    await input.close();
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('where it has to be read again', async () => {
    const stdin = piped('originId,name\n1,', 'a\n');
    const input = await openInput(['-'], { ...surroundings({ stdin }), isReadAgain: true });
    expect(await validateInput(input, productRecords, plainOptions)).toMatchObject({ count: 1 });
    expect(await validateInput(input, productRecords, plainOptions)).toMatchObject({ count: 1 });
    const { path } = (await input.files[0]?.onDisk()) ?? { path: '' };
    expect(await readFile(path, 'utf8')).toBe('originId,name\n1,a\n');
    await input.close();
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('leaves nothing behind when it breaks', async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error('torn'));
      },
    });
    const input = await openInput(['-'], surroundings({ stdin: broken }));
    await expect(validateInput(input, productRecords, plainOptions)).rejects.toMatchObject({
      kind: 'unreadable-path',
      message: '- cannot be read: torn',
      hint: 'check the program that writes to it, or name a file instead',
    });
    await input.close();
  });
});

describe('a file and a pipe that deliver the same are read as the same', () => {
  const header = 'originId,name,isReviewDisabled';
  const many = (row: (n: number) => string) =>
    Array.from({ length: 9_000 }, (_, n) => `${row(n)}\n`).join('');
  const cp949 = (text: string) => korean.encode(text) as Uint8Array;

  it.each<[string, string | Uint8Array]>([
    [
      'quotes within cells, in a text that never quotes',
      `${header}\n${many((n) => `${n},${n % 7}" pipe,Y`)}`,
    ],
    [
      'quotes within cells, and one cell quoted at the end',
      `${header}\n${many((n) => `${n},5" pipe,Y`)}x,"a",Y\n`,
    ],
    [
      'a quote within a cell far below those that are quoted',
      `${header}\n${many((n) => `${n},"a",Y`)}x,5" pipe,Y\n`,
    ],
    ['a header that is wider than all rows', `${header},,\r\n${many((n) => `${n},a,Y\r`)}`],
    ['a header that is wider than its first row', `${header}\n0,a\n${many((n) => `${n}0,a,Y`)}`],
    [
      'quoted cells of several lines, and a quote within the one after',
      `${header}\n${many((n) => `${n},"a\n\nb",5"`)}`,
    ],
    ['a quote that is never closed', `${header}\nfirst,5" pipe,Y\n2,"a,Y\n${many((n) => `${n},a,Y`)}`],
    ['CP949 behind a long batch of ASCII', cp949(`${header}\n${many((n) => `${n},a,Y`)}x,한글,Y\n`)],
    [
      'a CP949 word that UTF-8 knows, and others far below',
      cp949(`${header}\n${many((n) => `${n},표,Y`)}x,한글,Y\n`),
    ],
    [
      'a byte that is no text, after quotes within cells',
      Buffer.concat([
        Buffer.from(`${header}\nfirst,5" pipe,Y\n${many((n) => `${n},가,Y`)}`),
        Buffer.of(0xff),
      ]),
    ],
    ['JSON', JSON.stringify([{ originId: '1', name: 'a' }, { originId: 2 }])],
  ])('%s', async (_what, content) => {
    const ofFile = await read(productRecords, { '-': content });
    const ofPipe = await readPiped(productRecords, [content]);
    expect(ofPipe.records).toEqual(ofFile.entries.map(({ record }) => record));
    expect(ofPipe.problems).toEqual(ofFile.problems);
    expect(ofPipe.problemCount).toBe(ofFile.problemCount);
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
      const input = await openInput(['-'], surroundings({ stdin, stopping: controller.signal }));
      const validated = validateInput(input, productRecords, plainOptions);
      await once(stdin, 'data');
      controller.abort(interrupted);
      await expect(validated).rejects.toBe(interrupted);
      await input.close();
      expect(readdirSync(folder)).toEqual([]);
      vi.unstubAllEnvs();
    });
  });

  it.each([
    ['in the first pass', { encoding: 'utf-8' }],
    ['while the encoding is looked for', {}],
  ] as const)('%s', async (_when, options) => {
    await withFiles('originId\n1\n', async (paths) => {
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
    await withFiles('originId\n1\n', async (paths) => {
      const input = await openInput(paths, nothing);
      await appendFile(paths[0] ?? '', '2\n');
      await expect(validateInput(input, productRecords, plainOptions)).rejects.toMatchObject(changed);
    });
  });

  it('in an instant and to the same length, is parsed from the bytes by which it was recognized', async () => {
    const content = `originId,name\n1,${'a'.repeat(100_000)}\n`;
    await withFiles(content, async ([path = '']) => {
      const written = new Date('2026-10-01T00:00:00Z');
      await utimes(path, written, written);
      const { files } = await openInput([path], nothing);
      for await (const _ of files[0]?.peek() ?? []) break;
      await writeFile(path, content.replace('originId', 'otherIds'));
      await utimes(path, written, written);
      const pieces: Buffer[] = [];
      for await (const piece of files[0]?.read() ?? []) if (Buffer.isBuffer(piece)) pieces.push(piece);
      expect(Buffer.concat(pieces).toString()).toBe(content);
    });
  });

  it('is noticed while it is read', async () => {
    await withFiles(
      `originId\n${Array.from({ length: 100_000 }, (_, n) => `${n}\n`).join('')}`,
      async (paths) => {
        const input = await openInput(paths, nothing);
        let isFirst = true;
        const add = () => {
          if (isFirst) appendFileSync(paths[0] ?? '', '2\n');
          isFirst = false;
        };
        await expect(validateInput(input, productRecords, plainOptions, { add })).rejects.toMatchObject(
          changed,
        );
      },
    );
  });

  it('is noticed while the rows of a workbook are read', async () => {
    const content = oneSheet([['originId'], ['1'], ['2']]);
    await withFiles(content, async (paths) => {
      const input = await openInput(paths, nothing);
      const add = () => appendFileSync(paths[0] ?? '', '2');
      await expect(validateInput(input, productRecords, plainOptions, { add })).rejects.toMatchObject(
        changed,
      );
    });
  });
});
