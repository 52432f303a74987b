import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { open, readFile, utimes, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inspectInput } from '../../src/input/inspect.ts';
import { type InputFiles, openInput } from '../../src/input/open/open.ts';
import { categoryRecords, orderItemRecords, productRecords } from '../../src/input/records/record-kinds.ts';
import { validateInput } from '../../src/input/validate.ts';
import { plainOptions, surroundings, withFiles } from './reading.ts';
import { workbook } from './write-xlsx.ts';

const header = 'orderOriginId,originId,productOriginId\n';
const long =
  header + Array.from({ length: 5000 }, (_, index) => `O-${index},I-${index},P-${index}\n`).join('');

/** How often the first bytes of a file are read from the disk, by streams and by handles. */
let readings = 0;
/** The pieces that are read by handles. */
let pieces: { readonly start: number; readonly length: number }[] = [];
let undo: () => void = () => undefined;

type Call = (...args: unknown[]) => unknown;

beforeEach(async () => {
  readings = 0;
  pieces = [];
  const handle = await open(import.meta.filename);
  const handles = Object.getPrototypeOf(handle) as { read: Call };
  await handle.close();
  const streams = fs as unknown as { read: Call; open: Call };
  const [openStream, readStream, readHandle] = [streams.open, streams.read, handles.read];
  const opened = new Set<unknown>();
  streams.open = (...args) => {
    const done = args.at(-1) as (error: unknown, fd: unknown) => void;
    const known = (error: unknown, fd: unknown) => {
      opened.add(fd);
      done(error, fd);
    };
    return openStream(...args.slice(0, -1), known);
  };
  streams.read = (...args) => {
    const [fd, , , , position] = args;
    const isFirst = opened.delete(fd);
    if (position === 0 || (isFirst && typeof position !== 'number')) readings += 1;
    return readStream(...args);
  };
  handles.read = function (...args) {
    if (args[3] === 0) readings += 1;
    pieces.push({ start: Number(args[3]), length: Number(args[2]) });
    return readHandle.apply(this, args);
  };
  undo = () => {
    Object.assign(streams, { open: openStream, read: readStream });
    handles.read = readHandle;
  };
});

afterEach(() => undo());

async function withInput<R>(
  content: string | Uint8Array,
  work: (input: InputFiles, path: string) => Promise<R>,
): Promise<R> {
  return withFiles({ 'o.csv': content }, async ([path = '']) => {
    await utimes(path, written, written);
    const input = await openInput([path], surroundings());
    try {
      return await work(input, path);
    } finally {
      await input.close();
    }
  });
}

const written = new Date('2026-10-01T00:00:00Z');

describe('the first bytes of a file are read once in each pass', () => {
  it('of a push, which has one pass', async () => {
    const { count } = await withInput(long, (input) => validateInput(input, orderItemRecords, plainOptions));
    expect({ count, readings }).toEqual({ count: 5000, readings: 1 });
  });

  it('of inspect, which has one pass when it proposes nothing', async () => {
    const { recordCount } = await withInput(long, (input) =>
      inspectInput(input, orderItemRecords, plainOptions),
    );
    expect({ recordCount, readings }).toEqual({ recordCount: 5000, readings: 1 });
  });

  it('of inspect, which has one pass when it proposes the line of the header and a mapping', async () => {
    const file = 'Orders of May\n주문번호,상품번호\nO-1,P-1\n';
    const { proposals } = await withInput(file, (input) =>
      inspectInput(input, orderItemRecords, plainOptions),
    );
    expect(proposals.map(({ flag }) => flag)).toEqual(['--header-row', '--map']);
    expect(readings).toBe(1);
  });

  it('of categories, whose tree takes a pass of its own', async () => {
    await withInput('originId,name\nC,c\n', (input) => validateInput(input, categoryRecords, plainOptions));
    expect(readings).toBe(2);
  });

  it('so that the bytes that are parsed are those by which the file was recognized', async () => {
    const text = await withInput(long, async ({ files: [file] }, path) => {
      for await (const _ of file?.peek() ?? []) break;
      const bytes = await readFile(path);
      bytes.write('x'.repeat(header.length - 1));
      await writeFile(path, bytes);
      await utimes(path, written, written);
      const pieces: Buffer[] = [];
      for await (const piece of file?.read() ?? []) if (Buffer.isBuffer(piece)) pieces.push(piece);
      return Buffer.concat(pieces).toString();
    });
    expect(text).toBe(long);
  });
});

describe('the directory of a workbook, at its end, is read once in each pass', () => {
  const rows = [['originId', 'name'], ...Array.from({ length: 5000 }, () => [randomUUID(), randomUUID()])];
  const content = workbook([{ name: 'A', rows }]);
  const directories = () => pieces.filter(({ start, length }) => start + length === content.length).length;

  it('of a push, which has one pass', async () => {
    const { count } = await withInput(content, (input) => validateInput(input, productRecords, plainOptions));
    expect({ count, directories: directories() }).toEqual({ count: 5000, directories: 1 });
  });

  it('of inspect, which recognizes a file before it reads its records', async () => {
    await withInput(content, (input) => inspectInput(input, productRecords, plainOptions));
    expect(directories()).toBe(2);
  });
});
