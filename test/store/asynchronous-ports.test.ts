import { expectTypeOf, test } from 'vitest';
import type { PushJournal } from '../../src/store/journal/push-journal.ts';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import type { LedgerCustody } from '../../src/store/ledger/ledger-custody.ts';
import type { LedgerPlans } from '../../src/store/ledger/ledger-plans.ts';
import type { LedgerStore } from '../../src/store/ledger/ledger-store.ts';
import type { Lock, Locks } from '../../src/store/locks/locks.ts';
import type { RunLog } from '../../src/store/runs/run-log.ts';

type Asynchronous = (...parameters: never[]) => Promise<unknown> | AsyncIterable<unknown>;

/** The methods of a port that answer at once, which only a store on this machine can. */
type SynchronousIn<Port> = {
  [Name in keyof Port]: Port[Name] extends (...parameters: never[]) => unknown
    ? Port[Name] extends Asynchronous
      ? never
      : Name
    : never;
}[keyof Port];

test('every method of a store is asynchronous, so that a store may be on another machine', () => {
  expectTypeOf<SynchronousIn<PushJournal>>().toBeNever();
  expectTypeOf<SynchronousIn<RunLog>>().toBeNever();
  expectTypeOf<SynchronousIn<Ledger>>().toBeNever();
  expectTypeOf<SynchronousIn<LedgerCustody>>().toBeNever();
  expectTypeOf<SynchronousIn<LedgerPlans>>().toBeNever();
  expectTypeOf<SynchronousIn<LedgerStore>>().toBeNever();
  expectTypeOf<SynchronousIn<Locks>>().toBeNever();
  expectTypeOf<SynchronousIn<Lock>>().toBeNever();
});
