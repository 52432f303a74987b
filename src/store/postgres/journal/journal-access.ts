import { type Connection, connect } from '../../sql/connection.ts';
import type { PostgresPlace } from '../../sql/postgres-address.ts';
import { type Defer, inTransaction, quoted } from '../ledger-schema.ts';

/** Where a journal is: a schema, and which of the states in it. */
export interface PostgresJournalLocation extends PostgresPlace {
  readonly key: string;
}

/**
 * Three sessions of one journal, of which those that write are opened when they are needed. Requests begin on a session
 * whose commits wait for the disk of the server. What is known of them later is visible at once, and on the disk with
 * the next commit that waits, at the latest when the journal is closed. Nothing follows the loss of a session: whether
 * its last commit happened is then unknown.
 */
export interface JournalAccess {
  /** The schema, as SQL writes it. */
  readonly schema: string;
  /** The number of the state in its tables. */
  readonly state: number;
  /** As `Connection.query`, outside of transactions. */
  readonly read: Connection['query'];
  /** Does `work` in one transaction; one after the other. */
  readonly write: <T>(work: (connection: Connection, defer: Defer) => Promise<T>) => Promise<T>;
  /** As `write`, for a single statement. */
  readonly writeAtOnce: (work: (connection: Connection) => Promise<unknown>) => Promise<void>;
  /** Opens the sessions that write, both at once and without waiting, for those who are about to. */
  readonly openToWrite: () => void;
  /** Begins requests, beside the other writes. */
  readonly beginner: () => Promise<Connection>;
  /** A session that the caller closes. */
  readonly openSession: () => Promise<Connection>;
  /** Ends the sessions, after the writes that were asked for. */
  readonly close: () => Promise<void>;
}

/** How long writers wait for a process that makes an index of answers, in milliseconds. */
const indexMs = 600_000;

/** `reader` is a session that is open; the access closes it. */
export function createJournalAccess(place: PostgresPlace, reader: Connection, state: number): JournalAccess {
  const writer = lazySession(place, { synchronous_commit: 'off', lock_timeout: String(indexMs) });
  const beginner = lazySession(place);
  const schema = quoted(place.address.schema);
  let lastWrite: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const turn = lastWrite.then(async () => work(await writer.get()));
    lastWrite = turn.catch(() => undefined);
    return turn;
  };
  let closing: Promise<void> | undefined;
  const close = async () => {
    await lastWrite;
    try {
      const written = await writer.opened();
      if (written?.isLost === false) await flush(written, schema, state);
    } finally {
      await Promise.all([reader.close(), writer.close(), beginner.close()]);
    }
  };
  return {
    schema,
    state,
    read: reader.query,
    write: (work) => inTurn((connection) => inTransaction(connection, (defer) => work(connection, defer))),
    writeAtOnce: (work) =>
      inTurn(async (connection) => {
        await work(connection);
      }),
    openToWrite: () => {
      // The failure of a session is thrown where it is used.
      for (const session of [writer, beginner]) session.get().catch(() => undefined);
    },
    beginner: beginner.get,
    openSession: () => connect(place),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** A commit that waits for the disk brings all those before it there, of whatever session. */
async function flush({ query }: Connection, schema: string, state: number): Promise<void> {
  await query('SET synchronous_commit = on');
  await query(`UPDATE ${schema}.push_state SET key = key WHERE id = $1`, [state]);
}

function lazySession(place: PostgresPlace, settings: Readonly<Record<string, string>> = {}) {
  let opening: Promise<Connection> | undefined;
  const opened = async () => opening?.catch(() => undefined);
  return {
    get: () => {
      opening ??= connect(place, { settings });
      return opening;
    },
    opened,
    close: async () => (await opened())?.close(),
  };
}
