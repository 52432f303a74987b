import type { Clock } from '../../base/clock.ts';
import { isPostgresUrl } from '../sql/postgres-address.ts';
import { markAt } from './high-water-mark.ts';
import { openHighWaterMarks, readHighWaterMarks } from './high-water-marks.ts';
import { acceptLedger, moveLedger } from './install-ledger.ts';
import { judgeLedger, type LedgerGround, requireInUse } from './judge-ledger.ts';
import type { Ledger, LedgerMeta } from './ledger.ts';
import type { LastPlace } from './ledger-custody.ts';
import type { LedgerLocation } from './ledger-location.ts';
import { newMeta } from './ledger-meta.ts';
import { noEvent } from './ledger-reads.ts';
import type { ExpectedLedger, LedgerStart, LedgerStore } from './ledger-store.ts';
import { checkNoneInUse } from './missing-ledger.ts';

/** The part of a store that depends on the kind of place: a file, or the schema of a server. */
interface StorePlace {
  readonly exists: LedgerStore['exists'];
  readonly openUnjudged: LedgerStore['openUnjudged'];
  readonly backup: LedgerStore['backup'];
  /**
   * Opens the existing ledger and returns its place.
   * @throws Failure('ledger') if it is missing.
   */
  readonly openThere: (
    expected: ExpectedLedger,
  ) => Promise<{ readonly ledger: Ledger; readonly place: LastPlace }>;
  /** Creates a ledger, completely or not at all; returns the inode for its mark. */
  readonly make: (meta: LedgerMeta, start: LedgerStart) => Promise<string | null>;
  /** Runs `work`, which makes the ledger at this place the one in use. */
  readonly install: (clock: Clock, work: (place: LastPlace) => Promise<void>) => Promise<void>;
}

/** A store of ledgers in one kind of place. */
export function createLedgerStore(
  location: Pick<LedgerLocation, 'path' | 'marksPath'>,
  { exists, openUnjudged, backup, openThere, make, install }: StorePlace,
): LedgerStore {
  const { path, marksPath } = location;
  const openAny = async (expected: ExpectedLedger) => {
    const { ledger, place } = await openThere(expected);
    return judgeLedger(ledger, groundAt(location, place, expected.clock), expected);
  };
  return {
    exists,
    openAny,
    open: async (expected) => requireInUse(await openAny(expected)),
    openUnjudged,
    create: async (start) => {
      const { isReplacement = false, clock } = start;
      const meta = newMeta(start, clock.now());
      if (!isReplacement) await checkNoneInUse(path, marksPath, meta);
      // First, so that no ledger is created whose mark cannot be kept.
      const marks = await openHighWaterMarks(marksPath);
      try {
        const inode = await make(meta, start);
        marks.install(markAt(meta, noEvent, { path, inode, clock }));
      } finally {
        marks.close();
      }
    },
    backup,
    accept: (ledger, { clock }) =>
      install(clock, (place) => acceptLedger(ledger, groundAt(location, place, clock))),
    move: (ledger, { clock }) =>
      install(clock, (place) => moveLedger(ledger, groundAt(location, place, clock))),
    marks: () => readHighWaterMarks(marksPath),
    checkNoneInUse: (subject) => checkNoneInUse(path, marksPath, subject),
  };
}

/** The facts for judging the ledger at this place. */
export function groundAt(
  { path, marksPath }: Pick<LedgerLocation, 'path' | 'marksPath'>,
  place: LastPlace,
  clock: Clock,
): LedgerGround {
  // A database itself records where it is used.
  const inode = isPostgresUrl(path) ? null : place.inode;
  return { path, place, inode, openMarks: () => openHighWaterMarks(marksPath), clock };
}
