import type { EventMark } from '../../ledger/ledger.ts';
import { type CopiedTable, copiedTables, type LedgerCopy } from '../../ledger/ledger-copy.ts';
import type { Column, LedgerRow } from '../../ledger/ledger-rows.ts';
import { prepareExactQuery, prepareQuery } from '../query.ts';
import { onLedger, openLedgerFile } from './ledger-file.ts';

/** Rows of one page. */
const pageSize = 1000;

/** Of the place that a ledger is used at, and of its freeze; the copy has its own. */
const ownNames: ReadonlySet<string> = new Set(['host', 'inode', 'frozen']);

/**
 * Reads the ledger in the file at `path` as it is now, while others may use it.
 * @throws as `openLedgerFile`.
 */
export async function readLedgerCopy(path: string): Promise<LedgerCopy> {
  const database = await openLedgerFile(path);
  return onLedger(path, () => {
    database.exec('BEGIN');
    const rows = prepareQuery<{ readonly name: string; readonly value: string }>(
      database,
      'SELECT name, value FROM meta',
    ).all();
    const meta = new Map(rows.map(({ name, value }) => [name, value]));
    const last = prepareQuery<EventMark>(
      database,
      'SELECT seq, seal FROM event ORDER BY seq DESC LIMIT 1',
    ).get();
    return {
      meta: new Map([...meta].filter(([name]) => !ownNames.has(name))),
      frozen: meta.get('frozen'),
      last: last ?? { seq: 0, seal: '' },
      rows: function* (table: CopiedTable) {
        const [key] = copiedTables[table];
        const select = prepareExactQuery<LedgerRow>(
          database,
          `SELECT * FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${pageSize}`,
        );
        let after: Column = key === 'seq' ? 0n : '';
        for (;;) {
          const page = select.all(after);
          if (page.length > 0) yield page;
          if (page.length < pageSize) return;
          after = page.at(-1)?.[key] ?? after;
        }
      },
      close: () => {
        database.exec('ROLLBACK');
        database.close();
      },
    };
  });
}
