import { expect, it } from 'vitest';
import { contract } from './contract.ts';
import { wireDisagreements } from './wire-disagreements.ts';
import { readWireExamples } from './wire-examples.ts';

it('the wire examples are what the contract writes and reads, byte for byte', () => {
  expect(wireDisagreements(contract, readWireExamples())).toEqual([]);
});
