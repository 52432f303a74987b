import type { LedgerEntry } from '../../ledger/ledger.ts';
import { entryValues, type LedgerRow, readEntry } from '../../ledger/ledger-rows.ts';
import { prepareExactQuery, prepareQuery } from '../query.ts';
import type { LedgerAccess } from './ledger-access.ts';
import { insertSql, stateValues, updateStateSql } from './row-sql.ts';

/** How many entries are remembered: more than a run has under way at once. */
const rememberedMaximum = 1_000;

/** The entries of a ledger one by one. */
export interface LedgerEntries {
  find(rewardId: string): Promise<LedgerEntry | undefined>;
  /** As `find`, within a transaction. */
  read(rewardId: string): LedgerEntry | undefined;
  /** That of a row which is on the disk, and was read when the database had this version, or a later one. */
  ofRow(row: LedgerRow, version: unknown): LedgerEntry;
  /** Writes an entry, within a transaction; the whole row only where its observation is new. */
  put(entry: LedgerEntry, how: { readonly isNewObservation: boolean }): void;
}

interface Remembered {
  readonly entry: LedgerEntry;
  readonly seal: unknown;
  /** Of the database, which another one follows as soon as another connection has committed. */
  readonly version: unknown;
  /** It is on the disk once this number of commits of this connection is. */
  readonly commits: number;
}

/** Another process may have written it, and not waited for the disk yet. */
const notKnownToBeCovered = Number.POSITIVE_INFINITY;

/**
 * Remembers recent entries with the seals of their rows. While no other connection has committed and the file has the
 * same seal, the row is the one that was verified, and is not read and verified again.
 */
export function createLedgerEntries({ database, read, cover, perTransaction }: LedgerAccess): LedgerEntries {
  const selectSeal = prepareQuery<{ readonly seal: string }>(
    database,
    'SELECT seal FROM reward WHERE reward_id = ?',
  );
  const selectEntry = prepareExactQuery<LedgerRow>(database, 'SELECT * FROM reward WHERE reward_id = ?');
  const insert = database.prepare(insertSql('reward'));
  const updateState = database.prepare(updateStateSql);
  const remembered = new Map<string, Remembered>();

  function remember(one: Remembered): Remembered {
    const { rewardId } = one.entry;
    remembered.delete(rewardId);
    remembered.set(rewardId, one);
    const [oldest] = remembered.keys();
    if (remembered.size > rememberedMaximum && oldest !== undefined) remembered.delete(oldest);
    return one;
  }

  const versionInTransaction = perTransaction(cover.version, () => undefined);

  function recall(rewardId: string, version: unknown): Remembered | undefined {
    const known = remembered.get(rewardId);
    if (known === undefined || known.version !== version) return undefined;
    return selectSeal.get(rewardId)?.seal === known.seal ? known : undefined;
  }

  function look(rewardId: string, version: unknown): Remembered | undefined {
    const known = recall(rewardId, version);
    if (known !== undefined) return known;
    const row = selectEntry.get(rewardId);
    if (row === undefined) return undefined;
    return remember({ entry: readEntry(row), seal: row['seal'], version, commits: notKnownToBeCovered });
  }

  return {
    find: (rewardId) => {
      let known: Remembered | undefined;
      const work = () => {
        known = look(rewardId, cover.version());
        return known?.entry;
      };
      // Rewards are never removed, so one that is not there was not there before.
      return read(work, () => known === undefined || cover.has(known.commits));
    },
    read: (rewardId) => look(rewardId, versionInTransaction())?.entry,
    ofRow: (row, version) =>
      remember({ entry: readEntry(row), seal: row['seal'], version, commits: 0 }).entry,
    put: (entry, { isNewObservation }) => {
      const values = entryValues(entry);
      if (isNewObservation) insert.run(...values);
      else updateState.run(...stateValues(values));
      // It is part of the commit that is next.
      const commits = cover.commits + 1;
      remember({ entry, seal: values.at(-1), version: versionInTransaction(), commits });
    },
  };
}
