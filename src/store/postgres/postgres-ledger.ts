import { Failure } from '../../base/failure.ts';
import type { Ledger, LedgerIdentity } from '../ledger/ledger.ts';
import { restoreHint } from '../ledger/ledger-failure.ts';
import type { PostgresLedgerLocation } from '../ledger/ledger-location.ts';
import type { LedgerOptions } from '../ledger/ledger-store.ts';
import type { Connection } from '../sql/connection.ts';
import { type LedgerAccess, openLedgerAccess } from './ledger-access.ts';
import { createLedgerChanges } from './ledger-changes.ts';
import { createMeta, metaNames } from './ledger-meta.ts';
import { createNotes, createPlans } from './ledger-notes.ts';
import { createLedgerReads } from './ledger-reads.ts';
import { checkFormat, hasLedger, noLedger } from './ledger-schema.ts';
import { createCustody } from './postgres-custody.ts';
import { verifyPostgresLedger } from './verify-ledger.ts';

interface PostgresLedgerOptions extends Pick<LedgerOptions, 'clock'> {
  /** Looks at the server before anything is read; throws to refuse it. */
  readonly accept?: (connection: Connection) => Promise<void>;
}

/**
 * The ledger in an existing schema; `postgresLedgerStore` also checks that it is the right one, and fences its claims.
 * @throws Failure('ledger') where there is none, or it is damaged; as `connect`.
 */
export async function openPostgresLedger(
  location: PostgresLedgerLocation,
  { clock, accept }: PostgresLedgerOptions,
): Promise<Ledger> {
  const { path, address } = location;
  const access = await openLedgerAccess(location, async (connection) => {
    await accept?.(connection);
    if (!(await hasLedger(connection, address.schema))) throw noLedger(path);
    await checkFormat(connection, path, address.schema);
  });
  try {
    const { idle, ...changes } = createLedgerChanges(access, clock);
    return {
      identity: await readIdentity(access),
      ...changes,
      ...createLedgerReads(access),
      ...createNotes(access),
      custody: createCustody(access),
      plans: createPlans(access),
      // Opened alone, it has no mark outside to prove it.
      fence: async () => undefined,
      verify: (onChecked) => verifyPostgresLedger(location, onChecked),
      bytes: () => bytesOf(access),
      close: async () => {
        await idle();
        await access.close();
      },
    };
  } catch (error) {
    await access.close();
    throw error;
  }
}

async function bytesOf({ location, read }: LedgerAccess): Promise<number> {
  const [row] = await read<{ readonly bytes: bigint }>(
    `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`,
    [location.address.schema],
  );
  return Number(row?.bytes ?? 0);
}

const known: ReadonlySet<string> = new Set(metaNames);

/** @throws Failure('ledger') where a name is missing or unknown: the name of a freeze may have been damaged. */
async function readIdentity(access: LedgerAccess): Promise<LedgerIdentity> {
  const meta = await createMeta(access).read();
  const [ledgerId, origin, shop] = [meta.get('ledgerId'), meta.get('origin'), meta.get('shop')];
  const isWhole = ledgerId !== undefined && origin !== undefined && shop !== undefined;
  if (!isWhole || [...meta.keys()].some((name) => !known.has(name))) {
    const { path } = access.location;
    throw new Failure(
      'ledger',
      `the ledger ${path} is damaged: its table meta was changed after it was written`,
      restoreHint(path),
    );
  }
  return { ledgerId, origin, shop, createdAtMs: Number(meta.get('createdAtMs')) };
}
