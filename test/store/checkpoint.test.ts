import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import {
  ChangeReading,
  type Checkpoint,
  type ReadPage,
  seenMaximum,
} from '../../src/store/checkpoints/checkpoint.ts';
import {
  checkpointFile,
  readCheckpoint,
  writeCheckpoint,
} from '../../src/store/checkpoints/stored-checkpoint.ts';
import { stateLocation } from '../../src/store/state/state-location.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { ChangingService, cursorKinds, startMs } from './changing-service.ts';
import { stateNotesSuite } from './state-notes-suite.ts';

stateNotesSuite(() => stateLocation(temporaryFolder()));

const at = (seconds: number) => new Date(startMs + seconds * 1000).toISOString();
const timeOf = ({ updatedAt }: JsonObject) => updatedAt;

/** The records returned by a reading, and the next checkpoint. */
async function readAll(
  checkpoint: Checkpoint | undefined,
  pages: Parameters<ChangeReading['read']>[0],
  ownMs = startMs,
) {
  const reading = new ChangeReading(checkpoint, { ownMs, timeOf });
  const given: JsonObject[] = [];
  for await (const records of reading.read(pages)) for (const record of records) given.push(record);
  const next = reading.next();
  return { given, next, reading, isForgetful: reading.isForgetful(next) };
}

/** A list of one page. */
async function* onePage(records: readonly JsonObject[], serviceMs?: number): AsyncGenerator<ReadPage> {
  yield { sent: records, totalCount: records.length, serviceMs };
}

/**
 * Reads a constantly changing service eight times, the last time at rest; returns the lost and the repeated records.
 */
async function readWorld(seed: number, cursor: (typeof cursorKinds)[number]) {
  const service = new ChangingService(seed, cursor);
  const given: string[] = [];
  let checkpoint: Checkpoint | undefined;
  for (let run = 1; run <= 8; run += 1) {
    service.pass();
    service.isResting = run === 8;
    const { given: fresh, next } = await readAll(
      checkpoint,
      (sinceMs) => service.pages(sinceMs),
      service.ownMs,
    );
    given.push(...fresh.map(({ id, version }) => `${JSON.stringify(id)} ${JSON.stringify(version)}`));
    checkpoint = next;
  }
  return {
    lost: service.latest().filter((one) => !given.includes(one)),
    twice: given.filter((one, index) => given.indexOf(one) !== index),
  };
}

describe.each(cursorKinds)('with cursors that are %s', (cursor) => {
  test('whatever changes while lists are read is given in the end, and nothing is given twice', async () => {
    for (let seed = 1; seed <= 1000; seed += 1) {
      const { lost, twice } = await readWorld(seed, cursor);
      expect({ seed, lost, twice }).toEqual({ seed, lost: [], twice: [] });
    }
  });
});

describe('the next checkpoint', () => {
  test('never goes back while the clock of the service does not', async () => {
    const checkpoint = { sinceMs: startMs + 590_000, seen: new Map() };
    const page = () => onePage([{ id: 'a', updatedAt: at(600) }]);
    expect((await readAll(checkpoint, page)).next.sinceMs).toBe(checkpoint.sinceMs);
    expect((await readAll(checkpoint, () => onePage([]))).next.sinceMs).toBe(checkpoint.sinceMs);
  });

  test('never goes beyond the clock of the service, whatever time a record carries', async () => {
    const records = [
      { id: 'a', updatedAt: '2099-01-01T00:00:00Z' },
      { id: 'b', updatedAt: at(0) },
    ];
    const { next, reading } = await readAll(undefined, () => onePage(records, startMs + 5_000));
    expect(next.sinceMs).toBe(startMs - 60_000);
    expect(reading.future).toEqual({ count: 1, latestMs: Date.parse('2099-01-01T00:00:00Z') });
    const later = await readAll(next, () =>
      onePage([...records, { id: 'c', updatedAt: at(1) }], startMs + 9_000),
    );
    expect(later.given.map(({ id }) => id)).toEqual(['c']);
  });
});

describe('with a strange clock, the next checkpoint', () => {
  test('knows the latest of any number of times that are ahead', async () => {
    const records = Array.from({ length: 150_000 }, (_, index) => ({ id: index, updatedAt: at(index) }));
    const { reading } = await readAll(undefined, () => onePage(records, startMs - 100_000));
    expect(reading.future).toEqual({ count: 150_000, latestMs: startMs + 149_999_000 });
  });

  test('is no time before 1970, from which the whole list is read', async () => {
    const page = () => onePage([{ id: 'a', updatedAt: '1970-01-01T00:00:59Z' }], startMs);
    expect((await readAll(undefined, page)).next.sinceMs).toBeUndefined();
    const later = () => onePage([{ id: 'a', updatedAt: '1970-01-01T00:01:00Z' }], startMs);
    expect((await readAll(undefined, later)).next.sinceMs).toBe(0);
  });
});

describe('after a long reading, the next checkpoint', () => {
  test('remembers no more than it may, forgets the oldest, and says so', async () => {
    const records = Array.from({ length: 3 * seenMaximum }, (_, number) => ({
      id: `${number}`,
      updatedAt: at(number < 10 ? 0 : 1),
    }));
    const { next, isForgetful } = await readAll(undefined, () => onePage(records, startMs + 2_000));
    expect({ size: next.seen.size, isForgetful }).toEqual({ size: seenMaximum, isForgetful: true });
  });
});

test('a record is known by its own fields; what stands inside it changes on its own', async () => {
  const review = { id: 'a', text: 'x', product: { reviewCount: 1 }, updatedAt: at(0) };
  const { next } = await readAll(undefined, () => onePage([review], startMs));
  const givenOf = async (record: JsonObject) =>
    (await readAll(next, () => onePage([record], startMs))).given.length;
  expect(await givenOf({ ...review, product: { reviewCount: 2 } })).toBe(0);
  expect(await givenOf({ ...review, text: 'y' })).toBe(1);
  expect(await givenOf({ ...review, updatedAt: at(1) })).toBe(1);
});

describe('the file of a checkpoint', () => {
  const subject = { account: 'shop', filters: { ratings: [1, 2], isVisible: true } };
  const checkpoint: Checkpoint = { sinceMs: startMs, seen: new Map([['k1', startMs]]) };
  const newPlace = () => checkpointFile(temporaryFolder(), 'listReviews', 'nightly');

  test('is for this user alone, and leaves nothing else behind', async () => {
    const place = newPlace();
    await writeCheckpoint(place, subject, checkpoint);
    expect(statSync(place.path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(place.path))).toEqual(['since-last-listReviews-nightly.json']);
  });

  test('is the same for the same filters in another order', async () => {
    const place = newPlace();
    await writeCheckpoint(place, subject, checkpoint);
    const { ratings, isVisible } = subject.filters;
    expect(await readCheckpoint(place, { ...subject, filters: { isVisible, ratings } })).toEqual(checkpoint);
  });

  test('is refused for other filters', async () => {
    const place = newPlace();
    await writeCheckpoint(place, subject, checkpoint);
    await expect(readCheckpoint(place, { ...subject, filters: {} })).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining(
        'it is about a list with the filters {"ratings":[1,2],"isVisible":true}',
      ),
    });
  });

  test('that cannot be written is told with its path', async () => {
    const place = checkpointFile(join(temporaryFolder(), 'no'), 'listReviews', 'nightly');
    await expect(writeCheckpoint(place, subject, checkpoint)).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining(place.path),
    });
  });
});

describe('a file that is no checkpoint', async () => {
  const subject = { account: 'shop', filters: {} };
  const newPlace = () => checkpointFile(temporaryFolder(), 'listReviews', 'nightly');

  test('that is empty is as good as none', async () => {
    const place = newPlace();
    writeFileSync(place.path, '');
    expect(await readCheckpoint(place, subject)).toBeUndefined();
  });

  test.each([
    ['{"format":1,"account":"shop"', "Expected ',' or '}'"],
    ['[]', 'this version reads only format 2'],
    ['{"format":1,"account":"shop"}', 'this version reads only format 2'],
    ['{"format":3}', 'this version reads only format 2'],
    ['{"format":2,"account":"shop","filters":{},"since":"soon","seen":[]}', 'it is damaged'],
    ['{"format":2,"account":"shop","filters":{},"since":"2026-01-01T00:00:00Z","seen":[1]}', 'it is damaged'],
    ['{"format":2,"account":"shop","filters":{},"since":null,"seen":[["k1"]]}', 'it is damaged'],
  ])('that holds %j is refused with the remedy', async (content, why) => {
    const place = newPlace();
    writeFileSync(place.path, content);
    await expect(readCheckpoint(place, subject)).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringMatching(`^the checkpoint ${place.path} cannot be used: ${why}`),
      hint: expect.stringContaining('remove it if it is a file'),
    });
  });
});
