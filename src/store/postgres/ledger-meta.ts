import type { Connection } from '../sql/connection.ts';
import type { LedgerAccess } from './ledger-access.ts';

/** The names in the table `meta`. */
export const metaNames = [
  'ledgerId',
  'origin',
  'shop',
  'createdAtMs',
  'format',
  'frozen',
  'place',
  'acceptance',
  'epoch',
  'restoredAtMs',
  'acceptedAtMs',
  'comparedAtMs',
  'lostEvents',
  'unfinishedImport',
] as const;

type MetaName = (typeof metaNames)[number];

/** Single values of a ledger, by their names. */
export interface Meta {
  read(): Promise<ReadonlyMap<string, string>>;
  /** As `read`, within a transaction. */
  readIn(connection: Connection): Promise<ReadonlyMap<string, string>>;
  /** Within a transaction; null removes a value. */
  put(connection: Connection, values: Readonly<Partial<Record<MetaName, string | null>>>): Promise<void>;
  /** Ends whatever the ledger was frozen for, within a transaction. */
  endFreeze(connection: Connection): Promise<void>;
}

export function createMeta({ schema, read }: Pick<LedgerAccess, 'schema' | 'read'>): Meta {
  const select = `SELECT name, value FROM ${schema}.meta`;
  const mapOf = (rows: readonly MetaRow[]) => new Map(rows.map(({ name, value }) => [name, value]));
  const put: Meta['put'] = async (connection, values) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === null) await connection.query(`DELETE FROM ${schema}.meta WHERE name = $1`, [name]);
      else {
        const insert = `INSERT INTO ${schema}.meta VALUES ($1, $2)
          ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`;
        await connection.query(insert, [name, value]);
      }
    }
  };
  return {
    read: async () => mapOf(await read<MetaRow>(select)),
    readIn: async (connection) => mapOf(await connection.query<MetaRow>(select)),
    put,
    endFreeze: async (connection) => {
      const ended = { restoredAtMs: null, acceptedAtMs: null, comparedAtMs: null, lostEvents: null };
      await put(connection, { frozen: null, unfinishedImport: null, ...ended });
      await connection.query(`DELETE FROM ${schema}.lacking`);
    },
  };
}

interface MetaRow {
  readonly name: string;
  readonly value: string;
}
