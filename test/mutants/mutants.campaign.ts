import { expect, test } from 'vitest';
import { changeOf } from './equivalents.ts';
import { tryMutants } from './mutants-campaign.ts';

/**
 * Files that decide about money. Every mutant must be killed, except those that a reviewed file lists as equivalent.
 */
const decisive = [
  'src/settle/rules/transitions.ts',
  'src/settle/rules/policy.ts',
  'src/store/ledger/ledger-invariants.ts',
];

// `npm run campaign -- mutants` with these files tries all 1,281; the sample here takes half a minute.
test('each of 200 changes of the rules of settlement and of the invariants of the ledger fails a test', {
  timeout: 600_000,
}, async () => {
  const report = await tryMutants({
    files: decisive,
    sample: 200,
    seed: 1,
    minutes: 9,
    // Tests without a ledger or a service, which kill all of them.
    weightMaximum: 50,
  });
  const { killed, overdue, survived, uncovered, untried, unfit } = report;
  console.log(`${killed.length + overdue.length} mutants noticed, ${report.equivalent.length} equivalent`);
  expect(unfit).toEqual([]);
  expect([...survived, ...uncovered, ...untried].map(changeOf)).toEqual([]);
});
