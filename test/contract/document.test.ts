import { describe, expect, it } from 'vitest';
import { contract } from './contract.ts';
import { disagreements } from './disagreements.ts';
import { readDocument } from './document.ts';

const document = readDocument();

describe('the API document', () => {
  it('agrees with the contract in every operation, parameter, field, default, state and limit', () => {
    expect(disagreements(contract, document)).toEqual([]);
  });
});
