import { expect, test } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import { HashIndex } from '../../src/store/journal/hash-index.ts';

const found = (index: HashIndex, hash: number) => {
  const answers = new Set<number>();
  index.find(hash, answers);
  return answers;
};

test.each([
  ['all are recent', 20_000, 100],
  ['parts are packed', 600_000, 100],
  ['parts are packed whose answers have one hash each', 600_000, 1],
])('every answer is found by its hashes if %s, and hardly another', (_, length, hashesPerAnswer) => {
  const random = seededRandom(7);
  const index = new HashIndex();
  const pairs = Array.from({ length }, (__, at) => {
    const hash = Math.floor(random() * 2 ** 32) | 0;
    return [at % (length / 200) === 0 ? 17 : hash, 1 + Math.floor(at / hashesPerAnswer)] as const;
  });
  for (const [hash, answer] of pairs) index.add(hash, answer);
  let others = 0;
  for (const [hash, answer] of pairs.slice(0, 5000)) {
    const answers = found(index, hash);
    expect(answers.has(answer)).toBe(true);
    if (hash !== 17) others += answers.size - 1;
  }
  for (let at = 0; at < 5000; at += 1) others += found(index, Math.floor(random() * 2 ** 32) | 0).size;
  expect(others).toBeLessThan(1000);
  expect(found(index, 17).size).toBeGreaterThan(100);
});
