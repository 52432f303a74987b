import { expect, it, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { ChangeSummary } from '../../src/push/plan/change-summary.ts';
import type { OutcomeWord } from '../../src/push/steps/outcome.ts';

const entry = (outcome: OutcomeWord, write?: object) => ({
  outcome: { file: 'a.csv', line: 2, originId: 'P1', outcome },
  ...(write === undefined ? {} : { write }),
});

/** The remarks on changes of a name, one per record: `a>x b>y`. */
function remarksOn(changes: string, valueIn: (text: string) => Json = (text) => text): readonly string[] {
  const summary = new ChangeSummary();
  for (const change of changes.split(' ')) {
    const [from = null, to = null] = change.split('>').map(valueIn);
    const { outcome } = entry('updated');
    summary.add({ outcome: { ...outcome, changes: { name: { from, to } } }, write: {} });
  }
  return summary.remarks;
}

const ofNeighbours = (count: string) => [`${count} values of name are those of the row above or below`];

it.each<[string, string, readonly string[]]>([
  ['two changes to one value', 'a>x b>x', []],
  ['three changes to one value', 'a>x b>x c>x', ['all 3 changes of name set it to "x"']],
  ['one change to another value among them', 'a>x b>y c>x', []],
  ['one change to another value at the end', 'a>x b>x c>y', []],
  ['values of the row above', 'a>z b>a c>b', ofNeighbours('3 of 3')],
  ['values of the row below', 'a>b b>c c>z', ofNeighbours('3 of 3')],
  ['values of the row above in half of them', 'a>z b>a c>b d>y', ofNeighbours('3 of 4')],
  ['values of the row above in fewer', 'a>z b>a c>y d>x', []],
])('%s (%s) are remarked on as what they are: %j', (_, changes, remarks) => {
  expect(remarksOn(changes)).toEqual(remarks);
});

test('categories of the row above are remarked on, too', () => {
  expect(remarksOn('a>z b>a c>b', (category) => [category])).toEqual(ofNeighbours('3 of 3'));
});

test('records are counted by what becomes of them', () => {
  const summary = new ChangeSummary();
  for (const each of [
    ...[entry('created', {}), entry('queued', {}), entry('created', {})],
    ...[entry('updated', {}), entry('unchanged'), entry('skipped'), entry('rejected'), entry('unknown')],
  ])
    summary.add(each);
  const { created, updated, known, remarks } = summary;
  expect({ created, updated, known, remarks }).toEqual({ created: 3, updated: 1, known: 3, remarks: [] });
});

it.each<[readonly OutcomeWord[], readonly string[]]>([
  [['created', 'created'], []],
  [['created', 'queued', 'created'], ['none of the 3 ids is known']],
  [['created', 'created', 'created', 'unchanged'], []],
  [['created', 'created', 'created', 'skipped'], []],
  [['created', 'created', 'created', 'rejected'], ['none of the 3 ids is known']],
])('ids that are all new are remarked on: %j', (words, remarks) => {
  const summary = new ChangeSummary();
  const isWritten = (word: OutcomeWord) => word === 'created' || word === 'queued';
  for (const word of words) summary.add(entry(word, isWritten(word) ? {} : undefined));
  expect(summary.remarks).toEqual(remarks);
});
