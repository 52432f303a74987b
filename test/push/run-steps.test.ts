import { expect, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import { outcomeOf } from '../../src/push/steps/outcome.ts';
import { type Report, runSteps, type StepPlace } from '../../src/push/steps/run-steps.ts';
import { collect } from './open-push.ts';

/** Runs these steps, by default one at a time. */
function run(
  steps: AsyncIterable<readonly number[]>,
  work: Parameters<typeof runSteps<number>>[2],
  { concurrency = 1, stopping = new AbortController().signal } = {},
) {
  return collect(runSteps(steps, { concurrency, stopping }, work));
}

const never = new AbortController().signal;
const done = (step: number) => outcomeOf({ file: 'f', line: step, originId: String(step) }, 'created');
const doneIds = ({ outcomes }: Awaited<ReturnType<typeof collect>>) =>
  outcomes.map(({ originId }) => Number(originId));

test('outcomes come in the order of the steps, however long each takes', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const work = async (step: number, report: Report) => {
    if (step === 1) await held;
    if (step === 3) release();
    report(done(step));
  };
  const pushed = await run(streamOf([[1, 2, 3, 4]]), work, { concurrency: 3 });
  expect(doneIds(pushed)).toEqual([1, 2, 3, 4]);
});

test('no more steps are under way than allowed', async () => {
  let underWay = 0;
  let most = 0;
  const work = async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
  };
  await run(streamOf([Array.from({ length: 50 }, (_, i) => i)]), work, { concurrency: 4 });
  expect(most).toBe(4);
});

test('when a step fails, those under way are told and no new one is taken', async () => {
  const begun: number[] = [];
  const work = async (step: number, report: Report) => {
    begun.push(step);
    if (step === 2) throw new Error('broken');
    report(done(step));
  };
  const pushed = await run(streamOf([[1, 2, 3, 4, 5, 6]]), work, { concurrency: 3 });
  expect(pushed.error).toEqual(new Error('broken'));
  expect(doneIds(pushed)).toEqual(begun.filter((step) => step !== 2));
  expect(begun.length).toBeLessThan(6);
});

test('when the source fails, the steps it gave are told first', async () => {
  async function* source() {
    yield [1];
    yield [2];
    throw new Error('unreadable');
  }
  const pushed = await run(source(), async (step, report) => report(done(step)), { concurrency: 8 });
  expect(doneIds(pushed)).toEqual([1, 2]);
  expect(pushed.error).toEqual(new Error('unreadable'));
});

test('a stop that comes while the source is read begins nothing more', async () => {
  const stop = new AbortController();
  async function* source() {
    yield [1];
    stop.abort();
    yield [2];
  }
  const options = { concurrency: 8, stopping: stop.signal };
  const pushed = await run(source(), async (step, report) => report(done(step)), options);
  expect(doneIds(pushed)).toEqual([1]);
  expect(pushed.error).toBeUndefined();
});

test('a stop that comes during a step reads no further in the source', async () => {
  const stop = new AbortController();
  let read = 0;
  async function* source() {
    for (read = 1; read < 10; read += 1) yield [read];
  }
  const work = async (step: number) => {
    if (step === 3) stop.abort();
  };
  await run(source(), work, { stopping: stop.signal });
  expect(read).toBe(3);
});

test('stopped before it began, it does not even read the source', async () => {
  let isRead = false;
  async function* source() {
    isRead = true;
    yield [1];
  }
  await run(source(), () => Promise.resolve(), { stopping: AbortSignal.abort() });
  expect(isRead).toBe(false);
});

test('outcomes that are there at the same time come together', async () => {
  const steps = Array.from({ length: 8 }, (_, index) => index + 1);
  const batches: number[] = [];
  const work = async (step: number, report: Report) => report(done(step));
  for await (const outcomes of runSteps(streamOf([steps]), { concurrency: 8, stopping: never }, work))
    batches.push(outcomes.length);
  expect(batches).toEqual([8]);
});

test('steps that tell nothing make no batch', async () => {
  const batches: unknown[] = [];
  const steps = streamOf([[1, 2], []]);
  for await (const outcomes of runSteps(steps, { concurrency: 1, stopping: never }, async () => undefined))
    batches.push(outcomes);
  expect(batches).toEqual([]);
});

test('who wants no more outcomes waits for what is under way, and the source is closed', async () => {
  const events: string[] = [];
  async function* source() {
    try {
      yield [1, 2, 3];
      yield [4];
    } finally {
      events.push('closed');
    }
  }
  const work = async (step: number, report: Report) => {
    if (step > 1) await new Promise((resolve) => setImmediate(resolve));
    report(done(step));
    events.push(`${step} done`);
  };
  for await (const _ of runSteps(source(), { concurrency: 2, stopping: never }, work)) break;
  expect(events).toEqual(['1 done', '2 done', '3 done', 'closed']);
});

test('a step that is answered makes room for the next one while it is put on record', async () => {
  const events: string[] = [];
  let recorded = () => {};
  const onRecord = new Promise<void>((resolve) => {
    recorded = resolve;
  });
  const work = async (step: number, report: Report, { answered }: StepPlace) => {
    events.push(`${step} sent`);
    answered();
    if (step === 1) await onRecord;
    if (step === 2) recorded();
    events.push(`${step} recorded`);
    report(done(step));
  };
  const pushed = await run(streamOf([[1, 2]]), work);
  expect(events).toEqual(['1 sent', '2 sent', '2 recorded', '1 recorded']);
  expect(doneIds(pushed)).toEqual([1, 2]);
});

test('no more steps wait for an answer than allowed, and none runs far ahead of what is put on record', async () => {
  let unanswered = 0;
  let most = 0;
  let sent = 0;
  let recorded = () => {};
  const onRecord = new Promise<void>((resolve) => {
    recorded = resolve;
  });
  const work = async (step: number, report: Report, { answered }: StepPlace) => {
    sent += 1;
    unanswered += 1;
    most = Math.max(most, unanswered);
    await new Promise((resolve) => setImmediate(resolve));
    unanswered -= 1;
    answered();
    if (step === 0) await onRecord;
    report(done(step));
  };
  const steps = Array.from({ length: 50 }, (_, step) => step);
  const pushing = run(streamOf([steps]), work, { concurrency: 4 });
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toBe(16);
  recorded();
  expect(doneIds(await pushing)).toEqual(steps);
  expect(most).toBe(4);
});
