import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pick, type Random, seededRandom } from '../../src/base/random.ts';
import { type ChangeMark, ChangeReading, seenMaximum } from '../../src/store/change-mark.ts';
import { changeMarkPath, readChangeMark, writeChangeMark } from '../../src/store/change-mark-file.ts';
import { temporaryFolder } from '../push/open-push.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(startMs + seconds * 1000).toISOString();

/** A service whose records change while they are listed, in no order anybody knows, with times of whole seconds. */
class ChangingService {
  readonly #random: Random;
  readonly versions = new Map<string, { readonly version: number; readonly updatedAt: string }>();
  seconds = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  change(): void {
    const id = `r${Math.floor(this.#random() * 12)}`;
    const version = (this.versions.get(id)?.version ?? 0) + 1;
    this.versions.set(id, { version, updatedAt: at(Math.floor(this.seconds)) });
  }

  /** What a reading since `sinceMs` meets: all that stands still, and of what changes meanwhile the old, the new, or nothing. */
  *list(sinceMs: number, isQuiet: boolean) {
    const before = [...this.versions].filter(([, { updatedAt }]) => Date.parse(updatedAt) >= sinceMs);
    for (const [id, old] of before) {
      if (!isQuiet && this.#random() < 0.4) this.change();
      this.seconds += this.#random() * 40;
      const now = this.versions.get(id);
      if (now === old) yield { id, ...old };
      else if (this.#random() < 0.5) yield { id, ...pick(this.#random, [old, now ?? old]) };
    }
  }
}

test('whatever changes while lists are read is shown in the end, and nothing is shown twice', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const random = seededRandom(seed);
    const service = new ChangingService(random);
    const shown: string[] = [];
    let mark: ChangeMark | undefined;
    for (let run = 1; run <= 8; run += 1) {
      for (let changes = Math.floor(random() * 4); changes > 0; changes -= 1) {
        service.seconds += random() * 50;
        service.change();
      }
      const reading = new ChangeReading(mark);
      const begunAt = service.seconds;
      for (const record of service.list(mark?.sinceMs ?? 0, run === 8)) {
        if (reading.isNew(record, record.updatedAt)) shown.push(`${record.id} ${record.version}`);
      }
      mark = reading.next((service.seconds - begunAt) * 1000) ?? mark;
    }
    const last = [...service.versions].map(([id, { version }]) => `${id} ${version}`);
    expect({ seed, lost: last.filter((one) => !shown.includes(one)) }).toEqual({ seed, lost: [] });
    expect({ seed, shown: shown.length }).toEqual({ seed, shown: new Set(shown).size });
  }
});

describe('the next mark', () => {
  test('stands before the reading began, by the times of the service', () => {
    const reading = new ChangeReading(undefined);
    reading.isNew({ id: 'a' }, at(600));
    expect(reading.next(30_000)?.sinceMs).toBe(startMs + 510_000);
  });

  test('never goes back', () => {
    const sinceMs = startMs + 590_000;
    const reading = new ChangeReading({ sinceMs, seen: new Set() });
    reading.isNew({ id: 'a' }, at(600));
    expect(reading.next(3_600_000)?.sinceMs).toBe(sinceMs);
    expect(new ChangeReading({ sinceMs, seen: new Set() }).next(0)?.sinceMs).toBe(sinceMs);
  });

  test('is none where no time was read', () => {
    const reading = new ChangeReading(undefined);
    expect(reading.isNew({ id: 'a' }, null)).toBe(true);
    expect(reading.next(0)).toBeUndefined();
  });

  test('remembers no more than it may, forgets the oldest, and says so', () => {
    const reading = new ChangeReading(undefined);
    for (let number = 0; number < 3 * seenMaximum; number += 1) {
      reading.isNew({ id: `${number}` }, at(number < 10 ? 0 : 1));
    }
    const mark = reading.next(0);
    expect(mark?.seen.size).toBe(seenMaximum);
    expect(mark && reading.isForgetful(mark)).toBe(true);
  });
});

test('a record is known by its own fields; what stands inside it changes on its own', () => {
  const review = { id: 'a', text: 'x', product: { reviewCount: 1 }, updatedAt: at(0) };
  const first = new ChangeReading(undefined);
  first.isNew(review, review.updatedAt);
  const second = new ChangeReading(first.next(0));
  expect(second.isNew({ ...review, product: { reviewCount: 2 } }, review.updatedAt)).toBe(false);
  expect(second.isNew({ ...review, text: 'y' }, review.updatedAt)).toBe(true);
  expect(second.isNew(review, at(1))).toBe(true);
});

describe('the file of a mark', () => {
  const subject = { account: 'shop', filters: { ratings: [1, 2], isVisible: true } };
  const mark: ChangeMark = { sinceMs: startMs, seen: new Set(['k1', 'k2']) };
  const newPath = () => changeMarkPath(temporaryFolder(), 'listReviews', 'nightly');

  test('gives back what was kept, for this user alone, and leaves nothing else behind', () => {
    const path = newPath();
    expect(readChangeMark(path, subject)).toBeUndefined();
    writeChangeMark(path, subject, { sinceMs: 0, seen: new Set() });
    writeChangeMark(path, subject, mark);
    expect(readChangeMark(path, subject)).toEqual(mark);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual(['since-last-listReviews-nightly.json']);
  });

  test('is the same for the same filters in another order', () => {
    const path = newPath();
    writeChangeMark(path, subject, mark);
    const { ratings, isVisible } = subject.filters;
    expect(readChangeMark(path, { ...subject, filters: { isVisible, ratings } })).toEqual(mark);
  });

  test.each([
    [{ ...subject, account: 'another' }, 'it is about the list of another account'],
    [{ ...subject, filters: {} }, 'it is about a list with the filters ratings [1,2], isVisible true'],
  ])('is refused for %j', (other, why) => {
    const path = newPath();
    writeChangeMark(path, subject, mark);
    expect(() => readChangeMark(path, other)).toThrow(
      expect.objectContaining({ kind: 'config', message: expect.stringContaining(why) }),
    );
  });

  test.each([
    ['', 'Unexpected end of JSON input'],
    ['{"format":1,"account":"shop"', "Expected ',' or '}'"],
    ['[]', 'it is none of this version'],
    ['{"format":2}', 'it is none of this version'],
    ['{"format":1,"account":"shop","filters":{},"since":"soon","seen":[]}', 'it is damaged'],
    ['{"format":1,"account":"shop","filters":{},"since":"2026-01-01T00:00:00Z","seen":[1]}', 'it is damaged'],
  ])('that holds %j is refused with the remedy', (content, why) => {
    const path = newPath();
    writeFileSync(path, content);
    expect(() => readChangeMark(path, subject)).toThrow(
      expect.objectContaining({
        kind: 'config',
        message: expect.stringMatching(
          `^${path}, which says how far the list was read, cannot be used: ${why}`,
        ),
        hint: expect.stringContaining('remove the file'),
      }),
    );
  });

  test('that cannot be written is told with what comes of it', () => {
    const path = join(temporaryFolder(), 'no', 'folder.json');
    expect(() => writeChangeMark(path, subject, mark)).toThrow(
      expect.objectContaining({
        kind: 'config',
        message: expect.stringContaining(path),
        hint: expect.stringContaining('shows the same records again'),
      }),
    );
  });
});
