import { randomUUID } from 'node:crypto';
import type { Database } from '../../../base/sqlite.ts';
import type { LackingPayment, LedgerCustody } from '../../ledger/ledger-custody.ts';
import { storable } from '../../ledger/ledger-rows.ts';
import { prepareQuery } from '../query.ts';
import type { LedgerAccess } from './ledger-access.ts';

/** The names in the table `meta` that custody is kept under. */
export const custodyNames = [
  'host',
  'inode',
  'acceptance',
  'epoch',
  'restoredAtMs',
  'acceptedAtMs',
  'comparedAtMs',
  'lostEvents',
  'unfinishedImport',
] as const;

type Name = (typeof custodyNames)[number] | 'frozen';

/** What a ledger in SQLite says of itself as a whole. */
export function createCustody({ database, read, write }: LedgerAccess): LedgerCustody {
  const meta = createMeta(database);
  const selectOrigins = prepareQuery<{ readonly origin: string }>(
    database,
    'SELECT origin FROM origin ORDER BY origin',
  );
  const insertOrigin = database.prepare('INSERT OR IGNORE INTO origin (origin) VALUES (?)');
  const selectLacking = prepareQuery<LackingPayment>(
    database,
    'SELECT name, line, reward_id AS rewardId FROM lacking ORDER BY line, name',
  );
  const insertLacking = database.prepare(
    'INSERT OR IGNORE INTO lacking (name, line, reward_id) VALUES (?, ?, ?)',
  );
  return {
    placeUsed: () =>
      read(() => {
        const inode = meta.get('inode');
        return inode === undefined ? undefined : { inode, host: meta.get('host') ?? null };
      }),
    notePlace: ({ host, inode }) =>
      write(() => {
        meta.put('inode', inode);
        meta.put('host', host);
      }),
    otherOrigins: () => read(() => selectOrigins.all().map(({ origin }) => origin)),
    addOrigin: (origin) =>
      write(() => {
        insertOrigin.run(origin);
      }),
    restoration: () =>
      read(() => {
        const atMs = meta.number('restoredAtMs');
        if (atMs === null) return undefined;
        return {
          atMs,
          acceptedAtMs: meta.number('acceptedAtMs'),
          comparedAtMs: meta.number('comparedAtMs'),
          lostEvents: meta.number('lostEvents'),
        };
      }),
    unfinishedImport: () => read(() => meta.get('unfinishedImport')),
    acceptance: () => read(() => meta.get('acceptance') ?? null),
    epoch: () =>
      read(
        () => meta.number('epoch') ?? 0,
        // An acceptance is on the disk before `ledger accept` ends.
        () => true,
      ),
    noteRestored: ({ atMs, acceptedAtMs, comparedAtMs, lostEvents }, reason, epoch) =>
      write(() => {
        meta.put('restoredAtMs', atMs);
        meta.put('acceptedAtMs', acceptedAtMs);
        if (acceptedAtMs !== null) meta.put('acceptance', randomUUID());
        if (epoch !== undefined) meta.put('epoch', epoch);
        meta.put('comparedAtMs', comparedAtMs);
        meta.put('lostEvents', lostEvents);
        if (comparedAtMs === null) database.exec('DELETE FROM lacking');
        if (meta.get('frozen') === undefined) meta.put('frozen', storable(reason));
      }),
    noteComparison: (atMs, lacking) =>
      write(() => {
        meta.put('comparedAtMs', atMs);
        database.exec('DELETE FROM lacking');
        for (const { name, line, rewardId } of lacking) insertLacking.run(storable(name), line, rewardId);
      }),
    lacking: () => read(() => selectLacking.all()),
  };
}

/** Ends whatever a ledger was frozen for, within the transaction of the caller. */
export function endFreeze(database: Database): void {
  database.exec("DELETE FROM meta WHERE name IN ('frozen', 'unfinishedImport')");
  forgetRestoration(database);
}

/** Ends a restoration, within the transaction of the caller. */
export function forgetRestoration(database: Database): void {
  database.exec(
    "DELETE FROM meta WHERE name IN ('restoredAtMs', 'acceptedAtMs', 'comparedAtMs', 'lostEvents')",
  );
  database.exec('DELETE FROM lacking');
}

/** Rows of the table `meta`. */
function createMeta(database: Database) {
  const select = prepareQuery<{ readonly value: string }>(database, 'SELECT value FROM meta WHERE name = ?');
  const insert = database.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM meta WHERE name = ?');
  const get = (name: Name) => select.get(name)?.value;
  return {
    get,
    /** Null if there is none. */
    number: (name: Name) => {
      const value = get(name);
      return value === undefined ? null : Number(value);
    },
    put: (name: Name, value: string | number | null) => {
      if (value === null) remove.run(name);
      else insert.run(name, String(value));
    },
  };
}
