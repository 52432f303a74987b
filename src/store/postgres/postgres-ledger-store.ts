import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { HighWaterMark, HighWaterMarks } from '../ledger/high-water-mark.ts';
import { acceptLedger, moveLedger } from '../ledger/install-ledger.ts';
import { judgeLedger, type LedgerGround } from '../ledger/judge-ledger.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PlaceUsed } from '../ledger/ledger-custody.ts';
import type { PostgresLedgerLocation } from '../ledger/ledger-location.ts';
import { standingFailure } from '../ledger/ledger-standing.ts';
import type { ExpectedLedger, LedgerStart, LedgerStore, OpenedLedger } from '../ledger/ledger-store.ts';
import { checkServer } from '../sql/check-server.ts';
import { type Connection, withConnection } from '../sql/connection.ts';
import { isDuplicate } from '../sql/database-failure.ts';
import { checkNoneHere, missedInUse, recordInUse } from './in-use.ts';
import { hasLedger, inTransaction, makeLedgerSchema, makeSchema, noLedger } from './ledger-schema.ts';
import { openPostgresLedger } from './postgres-ledger.ts';
import { checkNotIncoming } from './receive-state.ts';
import { serverPlace } from './server-place.ts';

/** The marks of this machine, which a ledger elsewhere is judged by, too. */
export interface MachineMarks {
  readonly open: () => Promise<HighWaterMarks>;
  readonly read: () => Promise<readonly HighWaterMark[]>;
  /** As `LedgerStore.checkNoneInUse`. */
  readonly checkNoneInUse: (subject: Pick<HighWaterMark, 'origin' | 'accounts'>) => Promise<void>;
  /** The failure for a ledger that is missing, if a mark of its account knows of one. */
  readonly missed: (subject: Pick<ExpectedLedger, 'origin' | 'account'>) => Promise<Failure | undefined>;
}

/** A ledger in a schema of PostgreSQL, for several machines. */
export function postgresLedgerStore(location: PostgresLedgerLocation, marks: MachineMarks): LedgerStore {
  const { path, address } = location;
  const groundOf = (place: PlaceUsed, clock: Clock): LedgerGround => ({
    path,
    place,
    markInode: null,
    openMarks: marks.open,
    clock,
  });
  const groundNow = async (clock: Clock) =>
    groundOf(await withConnection(location, (connection) => serverPlace(connection, address.schema)), clock);
  const noteInUse = () =>
    withConnection(location, (connection) =>
      inTransaction(connection, () => recordInUse(connection, address.schema)),
    );
  const openAny = async (expected: ExpectedLedger): Promise<OpenedLedger> => {
    let place: PlaceUsed | undefined;
    const ledger = await openPostgresLedger(location, {
      clock: expected.clock,
      accept: async (connection) => {
        await checkServer(connection, location, expected.clock);
        await checkNotIncoming(connection, location);
        await checkThere(connection, location, marks, expected);
        place = await serverPlace(connection, address.schema);
      },
    });
    if (place === undefined) throw new Error('the server was not looked at');
    return judgeLedger(ledger, groundOf(place, expected.clock), expected);
  };
  return {
    exists: () =>
      withConnection(location, async (connection) => {
        await checkNotIncoming(connection, location);
        return hasLedger(connection, address.schema);
      }),
    openAny,
    open: async (expected) => {
      const { ledger, standing } = await openAny(expected);
      if (standing.kind === 'current') return ledger;
      await ledger.close();
      throw standingFailure(path, standing);
    },
    openUnjudged: (options) => openPostgresLedger(location, options),
    create: (start) => createLedger(location, marks, start),
    backup: async (file) => {
      const { schema } = address;
      const dump = `pg_dump -n ${shellWord(schema)} -Fc -f ${shellWord(file)}`;
      throw new Failure(
        'usage',
        `a ledger in PostgreSQL is copied by the tools of its server; ${file} was not written`,
        `${dump} …, or the backups of the server; one that is restored pays nothing until it is accepted`,
      );
    },
    accept: async (ledger: Ledger, { clock }) => {
      await acceptLedger(ledger, await groundNow(clock));
      await noteInUse();
    },
    move: async (ledger: Ledger, { clock }) => {
      await moveLedger(ledger, await groundNow(clock));
      await noteInUse();
    },
    marks: marks.read,
    checkNoneInUse: marks.checkNoneInUse,
  };
}

/** @throws Failure('ledger') if there is no ledger: by what this machine, else the database, knows of one. */
async function checkThere(
  connection: Connection,
  location: PostgresLedgerLocation,
  marks: MachineMarks,
  expected: Pick<ExpectedLedger, 'origin' | 'account'>,
): Promise<void> {
  if (await hasLedger(connection, location.address.schema)) return;
  const missed =
    (await marks.missed(expected)) ?? (await missedInUse(connection, location, expected.account));
  throw missed ?? noLedger(location.path);
}

/** As `LedgerStore.create`. */
async function createLedger(
  location: PostgresLedgerLocation,
  machine: MachineMarks,
  start: LedgerStart,
): Promise<void> {
  const { path, address } = location;
  const { origin, shop, account, isReplacement = false, clock } = start;
  const accounts = account === undefined ? [] : [account];
  if (!isReplacement) await machine.checkNoneInUse({ origin, accounts });
  const identity = { ledgerId: randomUUID(), origin, shop, createdAtMs: clock.now() };
  // First, so that no ledger is created whose mark cannot be kept.
  const marks = await machine.open();
  try {
    await withConnection(location, async (connection) => {
      const { schema } = address;
      await checkServer(connection, location, clock);
      await inTransaction(connection, async () => {
        // Who announces the move of a state to this schema is waited for, or waits for this.
        await makeSchema(connection, schema);
        await checkNotIncoming(connection, location);
        if (!isReplacement) await checkNoneHere(connection, location, account);
        await makeLedgerSchema(connection, schema, identity, start);
        await recordInUse(connection, schema);
      });
    });
    const position = { seq: 0, seal: '', epoch: 0, path, inode: null, movedAtMs: clock.now() };
    marks.install({ ...identity, ...position, accounts, isRetired: false });
  } catch (error) {
    throw isDuplicate(error) ? isThere(path) : error;
  } finally {
    marks.close();
  }
}

function isThere(path: string): Failure {
  return new Failure(
    'ledger',
    `${path} exists already; nothing was changed`,
    hint`inspect it with \`${reviewctl`ledger status -c state=${path}`}\`, or name another shop with the setting shop`,
  );
}
