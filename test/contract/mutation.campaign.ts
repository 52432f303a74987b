import { expect, it } from 'vitest';
import { unchanged } from './changes.ts';
import { contract } from './contract.ts';
import { disagreements } from './disagreements.ts';
import { readDocument } from './document.ts';
import { mutationsOf } from './mutations.ts';
import { readingDisagreements } from './readings.ts';
import { wireDisagreements } from './wire-disagreements.ts';
import { readWireExamples } from './wire-examples.ts';

const document = readDocument();
const examples = readWireExamples();

it('the witnesses notice each single change of the contract, and none where nothing changed', () => {
  const misjudged: string[] = [];
  let changes = 0;
  let controls = 0;
  for (const { title, value: mutant } of mutationsOf(contract)) {
    const isChanged = !title.endsWith(unchanged);
    if (isChanged) changes += 1;
    else controls += 1;
    const isNoticed =
      disagreements(mutant, document).length > 0 ||
      wireDisagreements(mutant, examples).length > 0 ||
      readingDisagreements(mutant, document).length > 0;
    if (isNoticed !== isChanged) misjudged.push(title);
  }
  expect({ misjudged, changes, controls }).toEqual({ misjudged: [], changes: 8622, controls: 510 });
});
