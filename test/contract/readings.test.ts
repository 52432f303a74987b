import { describe, expect, it } from 'vitest';
import { contract } from './contract.ts';
import { readDocument } from './document.ts';
import { readingDisagreements } from './readings.ts';

describe('replies', () => {
  it('are read with any field null, missing, of another scalar type or unknown, at every depth', () => {
    expect(readingDisagreements(contract, readDocument())).toEqual([]);
  });
});
