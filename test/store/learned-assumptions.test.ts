import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepLearned, type Learned, readLearned } from '../../src/store/profile/learned-assumptions.ts';
import { temporaryFolder } from '../push/open-push.ts';

const learned: Learned = {
  value: 'repeat',
  verdict: 'confirmed',
  finding: 'as asked',
  at: '2026-11-22T00:00:00Z',
};

test('what was learned of an assumption is added to what is known of others, and replaces what was known of it', () => {
  const folder = temporaryFolder();
  expect(readLearned(folder).size).toBe(0);
  keepLearned(folder, new Map([['arrayQuery', learned]]));
  keepLearned(folder, new Map([['rewardTimeMeans', learned]]));
  const refuted: Learned = { ...learned, verdict: 'refuted' };
  keepLearned(folder, new Map([['arrayQuery', refuted]]));
  expect(Object.fromEntries(readLearned(folder))).toEqual({ arrayQuery: refuted, rewardTimeMeans: learned });
  const lines = readFileSync(join(folder, 'assumptions.json'), 'utf8').split('\n');
  expect([lines[0], lines[1], lines.at(-1)]).toEqual(['{', '  "arrayQuery": {', '']);
});

test.each<readonly [string, string]>([
  ['no JSON', '{'],
  ['a list', '[]'],
  ['nothing', ''],
  ['null', 'null'],
  ['null of an assumption', '{"arrayQuery":null}'],
  ['a text', '{"arrayQuery":"repeat"}'],
  ...(['value', 'verdict', 'finding', 'at'] as const).map(
    (name) => [`a number as ${name}`, JSON.stringify({ arrayQuery: { ...learned, [name]: 1 } })] as const,
  ),
])('a file with %s is as good as none: it is learned again', (_, text) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'assumptions.json'), text);
  expect(readLearned(folder).size).toBe(0);
});
