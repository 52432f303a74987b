import { Failure } from '../../../base/failure.ts';
import { isDuplicate } from '../../sql/database-failure.ts';
import type { JournalAccess } from './journal-access.ts';

/** A list of hashes in each answer, by which answers are found. */
type HashColumn = 'hashes' | 'order_hashes';

const names: Readonly<Record<HashColumn, string>> = {
  hashes: 'push_answer_hash',
  order_hashes: 'push_answer_order',
};

/**
 * Makes the index of a column once it is asked for: a push that looks nothing up, such as the first one, pays more for
 * an index than for all else on the server, and of many rows it is made faster at once. Others that write answers
 * meanwhile wait, a few seconds for each million of records. Where it cannot be made, answers are found all the same,
 * by reading everything.
 */
export function keepIndex(
  { schema, read, openSession }: Pick<JournalAccess, 'schema' | 'read' | 'openSession'>,
  column: HashColumn,
): () => Promise<void> {
  const make = async () => {
    const [index] = await read<{ readonly is_valid: boolean }>(
      'SELECT indisvalid AS is_valid FROM pg_index WHERE indexrelid = to_regclass($1)',
      [`${schema}.${names[column]}`],
    );
    if (index?.is_valid === true) return;
    const session = await openSession();
    try {
      await session.query(
        index === undefined
          ? `CREATE INDEX IF NOT EXISTS ${names[column]} ON ${schema}.push_answer USING gin (${column})
             WITH (fastupdate = off)`
          : `REINDEX INDEX ${schema}.${names[column]}`,
      );
    } finally {
      await session.close();
    }
  };
  let made: Promise<void> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      // Another process has made it meanwhile, or this user may not.
      if (!isDuplicate(error) && !(error instanceof Failure)) throw error;
    });
    return made;
  };
}
