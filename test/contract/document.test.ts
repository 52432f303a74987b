import { expect, it } from 'vitest';
import { contract } from './contract.ts';
import { disagreements } from './disagreements.ts';
import { readDocument } from './document.ts';

it('the API document agrees with the contract in all that both say', () => {
  expect(disagreements(contract, readDocument())).toEqual([]);
});
