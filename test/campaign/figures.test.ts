import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../push/open-push.ts';
import { figuresTable, missingFigure, readFigures } from './figures.ts';

test('what processes of campaigns note is added up, and shown in one table with its sums', () => {
  const path = join(temporaryFolder(), 'figures');
  writeFileSync(
    path,
    '{"campaign":"push","kills":900,"violations":0}\n{"campaign":"push","kills":101,"violations":0}\n' +
      '{"campaign":"fuzz","executions":12,"violations":1}\n',
  );
  const figures = readFigures(path);
  const rows = [
    { campaign: 'push', seconds: 59.6, figures: figures.get('push') ?? {}, isSound: true },
    { campaign: 'fuzz', seconds: undefined, figures: figures.get('fuzz') ?? {}, isSound: false },
    { campaign: 'midnight', seconds: undefined, figures: {}, isSound: true, missing: 'faketime' },
  ];
  expect(figuresTable(rows).split('\n')).toEqual([
    'campaign  seconds  kills  suspensions  faults  schedules  mutants  executions  violations          result',
    'push           60  1,001                                                                0              ok',
    'fuzz                                                                       12           1          FAILED',
    'midnight                                                                                   needs faketime',
    'all            60  1,001            0       0          0        0          12           1          FAILED',
  ]);
});

test.each([
  ['push', { suspensions: 2, violations: 0 }, 'kills'],
  ['power', { faults: 0, violations: 0 }, 'faults'],
  ['fuzz', {}, 'executions'],
  ['fuzz', { executions: 1 }, undefined],
  ['runtimes', {}, undefined],
])('of the campaign %s with the figures %o, %s is missed', (campaign, figures, missing) => {
  expect(missingFigure(campaign, figures)).toBe(missing);
});
