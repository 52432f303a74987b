import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { writeRecords } from '../../src/output/formats/records.ts';
import {
  createStreams,
  type StreamEnvironment,
  type TextStream,
  writeOutput,
} from '../../src/output/terminal/streams.ts';
import { productView } from '../../src/output/views/views.ts';
import { bundled } from './bundled.ts';
import { capturedStreams } from './captured-streams.ts';

describe('color', () => {
  test.each<[string, boolean, StreamEnvironment, boolean]>([
    ['is on on a terminal', true, {}, true],
    ['is off in a pipe', false, {}, false],
    ['is off under NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['is on under an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['is off under TERM=dumb', true, { TERM: 'dumb' }, false],
    ['is off in CI', true, { CI: 'true' }, false],
    ['is on in a pipe under FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['is off on a terminal under FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
    ['follows FORCE_COLOR before NO_COLOR', true, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ])('%s', (_claim, isTerminal, env, hasColor) => {
    const streams = capturedStreams({ isOutputTerminal: isTerminal, isErrorTerminal: !isTerminal, env });
    expect(streams.hasColor).toBe(hasColor);
    expect(capturedStreams({ isErrorTerminal: isTerminal, env }).hasErrorColor).toBe(hasColor);
  });
});

describe('a line is drawn over', () => {
  test.each<[string, boolean, StreamEnvironment, boolean]>([
    ['on a terminal', true, {}, true],
    ['on a terminal without color', true, { NO_COLOR: '1' }, true],
    ['but not in a pipe, whatever the color', false, { FORCE_COLOR: '1' }, false],
    ['but not in CI', true, { CI: '1' }, false],
    ['but not on a dumb terminal', true, { TERM: 'dumb' }, false],
  ])('%s', (_claim, isErrorTerminal, env, canRedraw) => {
    expect(capturedStreams({ isErrorTerminal, env }).canRedraw).toBe(canRedraw);
  });
});

describe('the width of a line', () => {
  test.each<[string, boolean, StreamEnvironment, number]>([
    ['is 80 on a terminal that does not say', true, {}, 80],
    ['is 120 in a pipe', false, {}, 120],
    ['is COLUMNS on a terminal', true, { COLUMNS: '57' }, 57],
    ['is COLUMNS in a pipe', false, { COLUMNS: '57' }, 57],
    ['ignores a COLUMNS that is no width', true, { COLUMNS: 'wide' }, 80],
    ['ignores a COLUMNS of nothing', true, { COLUMNS: '0' }, 80],
  ])('%s', (_claim, isOutputTerminal, env, columns) => {
    expect(capturedStreams({ isOutputTerminal, env }).columns).toBe(columns);
  });
});

test('a slow reader is waited for', async () => {
  const streams = capturedStreams();
  const taken: (() => void)[] = [];
  streams.stdout._write = (_chunk, _encoding, done) => {
    taken.push(done);
  };
  let asked = 0;
  const source = (async function* () {
    for (const id of ['a', 'b']) {
      asked += 1;
      yield [{ id }];
    }
  })();
  const run = writeRecords(source, productView, { format: 'ndjson' }, streams);
  await new Promise(setImmediate);
  expect(asked).toBe(1);
  taken.shift()?.();
  await new Promise(setImmediate);
  expect(asked).toBe(2);
  taken.shift()?.();
  expect(await run).toMatchObject({ written: 2, isCut: false });
});

test('a full disk is told, not swallowed', async () => {
  const { stderr } = capturedStreams();
  const full = createWriteStream('/dev/full') as TextStream;
  await expect(writeOutput(createStreams(full, stderr, {}), 'x')).rejects.toMatchObject({
    kind: 'unwritable-output',
    message: expect.stringContaining('ENOSPC'),
  });
});

/** A program that lists without end until its reader is gone, then reports the result on stderr. */
const endlessList = `
  import { writeRecords } from './src/output/formats/records.ts';
  import { systemStreams } from './src/output/terminal/streams.ts';
  import { productView } from './src/output/views/views.ts';
  async function* pages() {
    try {
      for (let page = 0; ; page += 1) {
        yield Array.from({ length: 100 }, (_, index) => ({ id: page + '-' + index, name: 'x'.repeat(100) }));
        await new Promise(setImmediate);
      }
    } finally {
      process.stderr.write('stopped fetching, ');
    }
  }
  const { isCut } = await writeRecords(pages(), productView, { format: process.argv[2] }, systemStreams(process));
  process.stderr.write('cut: ' + isCut);
`;

test.each(['ndjson', 'json', 'csv', 'ids', 'table'])(
  'a reader that goes away ends %s quietly, and the fetching',
  async (format) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', bundled(endlessList), '-', format]);
    child.stdout.once('data', () => child.stdout.destroy());
    let told = '';
    child.stderr.on('data', (text) => {
      told += text;
    });
    const [code] = await once(child, 'close');
    expect({ code, told }).toEqual({ code: 0, told: 'stopped fetching, cut: true' });
  },
);
