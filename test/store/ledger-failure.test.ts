import { expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { isLedgerFailure } from '../../src/store/ledger/ledger-failure.ts';

it.each<[string, unknown, boolean]>([
  ['a damaged ledger', new Failure('ledger', 'it is damaged'), true],
  ['a full disk', new Failure('unwritable-path', 'the disk is full'), true],
  ['a server that is gone', new Failure('unreachable-state', 'it does not answer'), true],
  ['a lock of others', new Failure('locked', 'others have it'), false],
  ['a mistake of ours', new TypeError('undefined is not a function'), false],
  ['an error of another library that has the same word', { kind: 'ledger' }, false],
  ['nothing', undefined, false],
])('%s is told from what leaves the ledger usable', (_, error, isOfLedger) => {
  expect(isLedgerFailure(error)).toBe(isOfLedger);
});
