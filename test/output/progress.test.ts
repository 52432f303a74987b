import { spawn } from '@lydell/node-pty';
import { describe, expect, test } from 'vitest';
import { writeRecords } from '../../src/output/formats/records.ts';
import { createNotices } from '../../src/output/terminal/notices.ts';
import { createProgress } from '../../src/output/terminal/progress.ts';
import { productView } from '../../src/output/views/views.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { bundled } from './bundled.ts';
import { type CaptureOptions, capturedStreams } from './captured-streams.ts';
import { hostileTexts, livingCharacters } from './hostile-text.ts';
import { batchesOf } from './sources.ts';

const state = {
  label: 'sending order items',
  done: 12_000,
  total: 20_000,
  counts: { queued: 11_990, failed: 10, skipped: 0 },
};

/** Progress that begins now, by default on a terminal. */
function begun(
  mode: Parameters<typeof createProgress>[1],
  capture: CaptureOptions = { isErrorTerminal: true },
) {
  const streams = capturedStreams(capture);
  const clock = new ManualClock();
  return { streams, clock, progress: createProgress(streams, mode, clock) };
}

describe.each(['plain', 'auto', 'json'] as const)('%s in a pipe', (mode) => {
  test('is a line at most every ten seconds, and none for short work', () => {
    const { streams, clock, progress } = begun(mode, {});
    const linesAfter = (ms: number) => {
      clock.advance(ms);
      progress.update(state);
      return streams.errorText().split('\n').length - 1;
    };
    expect(linesAfter(0)).toBe(0);
    expect(linesAfter(9_999)).toBe(0);
    expect(linesAfter(1)).toBe(1);
    expect(linesAfter(9_999)).toBe(1);
    expect(linesAfter(50_000)).toBe(2);
    progress.done();
    expect(streams.outputText()).toBe('');
  });
});

test('progress goes on, with its pace, while the clock of the machine is set back', () => {
  const { streams, clock, progress } = begun('plain');
  clock.advance(20_000);
  clock.setBack(3_600_000);
  progress.update({ label: 'reading reviews', done: 1_200 });
  expect(streams.errorText()).toBe('reading reviews: 1,200, 60/s\n');
});

test('a plain line says how far and how well', () => {
  const { streams, clock, progress } = begun('plain');
  clock.advance(10_000);
  progress.update(state);
  clock.advance(10_000);
  progress.update({ label: 'reading reviews', done: 1_200 });
  expect(streams.errorText()).toBe(
    'sending order items: 12,000 of 20,000 (60 %), 11,990 queued, 10 failed, 1,200/s, 7 s left\nreading reviews: 1,200, 60/s\n',
  );
});

test.each(['json', 'auto'] as const)(
  'a JSON line carries the same numbers, where stderr is JSON, too: %s',
  (mode) => {
    const streams = Object.assign(capturedStreams(), { errorFormat: mode === 'auto' ? 'json' : 'text' });
    const clock = new ManualClock();
    const progress = createProgress(streams, mode, clock);
    clock.advance(10_000);
    progress.update(state);
    expect(JSON.parse(streams.errorText())).toEqual({
      progress: { ...state, perSecond: 1_200, secondsLeft: 7 },
    });
  },
);

test('none says nothing, for however long', () => {
  const { streams, clock, progress } = begun('none');
  clock.advance(100_000);
  progress.update(state);
  progress.done();
  expect(streams.errorText()).toBe('');
});

describe('the live line', () => {
  /** The final content of a terminal, without cleared lines. */
  function screenOf(text: string): string[] {
    const lines = [''];
    for (const [piece] of text.matchAll(/\u001b\[[?\d;]*[A-Za-z]|[^\u001b]/gu)) {
      if (piece === '\u001b[0K') lines[lines.length - 1] = '';
      else if (piece === '\n') lines.push('');
      else if (!piece.startsWith('\u001b')) lines[lines.length - 1] += piece;
    }
    return lines;
  }

  async function drawn() {
    const terminal = { isOutputTerminal: true, isErrorTerminal: true, env: { COLUMNS: '60' } };
    const work = begun('auto', terminal);
    work.progress.update(state);
    await expect.poll(() => work.streams.errorText()).toContain('sending');
    return work;
  }

  test('is one line no wider than the terminal', async () => {
    const { streams, progress } = await drawn();
    expect(screenOf(streams.errorText())).toEqual([
      expect.stringMatching(/^\S sending order items: 12,000 of 20,000 \(60 %\), 11,990 que…$/u),
    ]);
    progress.done();
  });

  test('stands below whatever else is written, and is gone when done', async () => {
    const { streams, progress } = await drawn();
    createNotices(streams, { format: 'text' }).info('a notice');
    expect(screenOf(streams.errorText())).toEqual(['a notice', expect.stringContaining('sending')]);
    progress.done();
    expect(screenOf(streams.errorText())).toEqual(['a notice', '']);
    createNotices(streams, { format: 'text' }).info('another');
    expect(screenOf(streams.errorText())).toEqual(['a notice', 'another', '']);
  });

  test('is off the screen while records are written to stdout', async () => {
    const { streams, progress } = await drawn();
    let shown: string[] = [];
    streams.stdout._write = (_chunk, _encoding, done) => {
      shown = screenOf(streams.errorText());
      done();
    };
    await writeRecords(batchesOf([{ id: 'p1' }]), productView, { format: 'ids' }, streams);
    expect(shown).toEqual(['']);
    expect(screenOf(streams.errorText())).toEqual([expect.stringContaining('sending')]);
    progress.done();
  });

  test('never hides the cursor', async () => {
    const { streams, progress } = await drawn();
    progress.done();
    expect(streams.errorText()).not.toContain('\u001b[?25l');
  });

  test('is not drawn at all when the work was done before it was ready', async () => {
    const { streams, progress } = begun('auto');
    progress.update(state);
    progress.done();
    await import('ora');
    await new Promise(setImmediate);
    expect(streams.errorText()).toBe('');
  });
});

/** Starts progress on a terminal and exits without ending it, like a failed program. */
const abandonedWork = `
  import { createProgress } from './src/output/terminal/progress.ts';
  import { systemStreams } from './src/output/terminal/streams.ts';
  const clock = { now: Date.now, monotonicMs: () => performance.now(), sleep: () => Promise.resolve() };
  createProgress(systemStreams(process), 'auto', clock).update({ label: 'working', done: 1 });
  await import('ora');
  await new Promise(setImmediate);
`;

test('progress that nobody ended holds no process open', async () => {
  const terminal = spawn(process.execPath, ['--input-type=module', '-e', bundled(abandonedWork)], {
    env: { TERM: 'xterm' },
  });
  let shown = '';
  terminal.onData((text) => {
    shown += text;
  });
  const exitCode = await new Promise((resolve) => terminal.onExit((exit) => resolve(exit.exitCode)));
  expect(exitCode).toBe(0);
  expect(shown).toContain('working: 1');
});

test.each(Object.entries(hostileTexts))('%s in a label is made visible', (_kind, hostile) => {
  for (const mode of ['plain', 'json'] as const) {
    const { streams, clock, progress } = begun(mode, {});
    clock.advance(10_000);
    progress.update({ label: hostile, done: 1 });
    expect(livingCharacters(streams.errorText())).toEqual([]);
  }
});
