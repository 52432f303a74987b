import { randomUUID } from 'node:crypto';
import type { LackingPayment, LedgerCustody } from '../ledger/ledger-custody.ts';
import { storable } from '../ledger/ledger-rows.ts';
import type { LedgerAccess } from './ledger-access.ts';
import { createMeta } from './ledger-meta.ts';

/** What a ledger in PostgreSQL says of itself as a whole. */
export function createCustody(access: LedgerAccess): LedgerCustody {
  const { schema, read, write } = access;
  const meta = createMeta(access);
  return {
    placeUsed: async () => {
      const inode = (await meta.read()).get('place');
      return inode === undefined ? undefined : { host: null, inode };
    },
    notePlace: ({ inode }) => write((connection) => meta.put(connection, { place: inode })),
    otherOrigins: async () => {
      const select = `SELECT origin FROM ${schema}.origin ORDER BY origin`;
      return (await read<{ readonly origin: string }>(select)).map(({ origin }) => origin);
    },
    addOrigin: (origin) =>
      write(async (connection) => {
        await connection.query(`INSERT INTO ${schema}.origin VALUES ($1) ON CONFLICT DO NOTHING`, [origin]);
      }),
    unfinishedImport: async () => (await meta.read()).get('unfinishedImport'),
    restoration: async () => {
      const values = await meta.read();
      const number = (name: string) => numberOrNull(values.get(name));
      const atMs = number('restoredAtMs');
      if (atMs === null) return undefined;
      return {
        atMs,
        acceptedAtMs: number('acceptedAtMs'),
        comparedAtMs: number('comparedAtMs'),
        lostEvents: number('lostEvents'),
      };
    },
    acceptance: async () => (await meta.read()).get('acceptance') ?? null,
    epoch: async () => {
      const [row] = await read<{ readonly value: string }>(
        `SELECT value FROM ${schema}.meta WHERE name = 'epoch'`,
        [],
        'epoch',
      );
      return Number(row?.value ?? 0);
    },
    noteRestored: ({ atMs, acceptedAtMs, comparedAtMs, lostEvents }, reason, epoch) =>
      write(async (connection) => {
        const isFrozen = (await meta.readIn(connection)).has('frozen');
        await meta.put(connection, {
          restoredAtMs: String(atMs),
          acceptedAtMs: textOrNull(acceptedAtMs),
          comparedAtMs: textOrNull(comparedAtMs),
          lostEvents: textOrNull(lostEvents),
          ...(acceptedAtMs === null ? {} : { acceptance: randomUUID() }),
          ...(epoch === undefined ? {} : { epoch: String(epoch) }),
          ...(isFrozen ? {} : { frozen: storable(reason) }),
        });
        if (comparedAtMs === null) await connection.query(`DELETE FROM ${schema}.lacking`);
      }),
    noteComparison: (atMs, lacking) =>
      write(async (connection) => {
        await meta.put(connection, { comparedAtMs: String(atMs) });
        await connection.query(`DELETE FROM ${schema}.lacking`);
        await connection.query(
          `INSERT INTO ${schema}.lacking SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])
           ON CONFLICT DO NOTHING`,
          [
            lacking.map(({ name }) => storable(name)),
            lacking.map(({ line }) => BigInt(line)),
            lacking.map(({ rewardId }) => rewardId),
          ],
        );
      }),
    lacking: () => readLacking(access),
  };
}

async function readLacking({ schema, read }: LedgerAccess): Promise<readonly LackingPayment[]> {
  const select = `SELECT name, line, reward_id FROM ${schema}.lacking ORDER BY line, name`;
  return (await read<LackingRow>(select)).map(({ name, line, reward_id: rewardId }) => ({
    name,
    line: Number(line),
    rewardId,
  }));
}

interface LackingRow extends Pick<LackingPayment, 'name'> {
  readonly line: bigint;
  readonly reward_id: string | null;
}

function numberOrNull(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

function textOrNull(value: number | null): string | null {
  return value === null ? null : String(value);
}
