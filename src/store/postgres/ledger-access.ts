import { isLedgerFailure } from '../ledger/ledger-failure.ts';
import type { PostgresLedgerLocation } from '../ledger/ledger-location.ts';
import { type Connection, connect } from '../sql/connection.ts';
import { databaseFailure } from '../sql/database-failure.ts';
import { type Defer, lockLedger, quoted, readingInTransaction } from './ledger-schema.ts';

/**
 * Two sessions of one ledger: writes wait for each other, and reads wait for neither. A commit that another session can
 * see has reached the disk of the server, so what is read is durable, too. Nothing follows a failed write or a lost
 * session: whether a commit happened is then unknown, and another server may answer the next time.
 */
export interface LedgerAccess {
  readonly location: PostgresLedgerLocation;
  /** The schema of the ledger, as SQL writes it. */
  readonly schema: string;
  /** As `Connection.query`, outside of transactions. */
  readonly read: Connection['query'];
  /** Does `work` in one transaction that holds the lock of the ledger from its start. */
  readonly write: <T>(work: (connection: Connection, defer: Defer) => Promise<T>) => Promise<T>;
  /** As `write`; what `read` finds under the lock costs no round trip of its own. */
  readonly change: <T, Found>(
    read: (connection: Connection) => Promise<Found>,
    work: (found: Found, defer: Defer) => Promise<T>,
  ) => Promise<T>;
  /** Ends both sessions, after the writes that were asked for. */
  readonly close: () => Promise<void>;
}

/** Opens both sessions, the first of which `accept` checks; none stays open where that throws. */
export async function openLedgerAccess(
  location: PostgresLedgerLocation,
  accept: (connection: Connection) => Promise<void>,
): Promise<LedgerAccess> {
  const writer = await connect(location);
  try {
    await accept(writer);
    return createLedgerAccess(location, writer, await connect(location));
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function createLedgerAccess(
  location: PostgresLedgerLocation,
  writer: Connection,
  reader: Connection,
): LedgerAccess {
  const { address } = location;
  let failed: unknown;
  let lastWrite: Promise<unknown> = Promise.resolve();
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (failed !== undefined) throw failed;
    try {
      return await work();
    } catch (error) {
      const failure = databaseFailure(location, error);
      if (isLedgerFailure(failure)) failed = failure;
      throw failure;
    }
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = lastWrite.then(work);
    lastWrite = turn.catch(() => undefined);
    return turn;
  };
  const change: LedgerAccess['change'] = (read, work) => {
    const readUnderLock = async () =>
      (await Promise.all([lockLedger(writer, address.schema), read(writer)]))[1];
    return inTurn(() =>
      guarded(() => readingInTransaction(writer, readUnderLock, (defer, found) => work(found, defer))),
    );
  };
  return {
    location,
    schema: quoted(address.schema),
    read: (text, parameters, name) => guarded(() => reader.query(text, parameters, name)),
    write: (work) =>
      change(
        async () => undefined,
        (_, defer) => work(writer, defer),
      ),
    change,
    close: async () => {
      await lastWrite;
      await Promise.all([writer.close(), reader.close()]);
    },
  };
}
