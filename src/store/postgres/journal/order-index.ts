import { Failure } from '../../../base/failure.ts';
import type { JournalAccess } from './journal-access.ts';

/**
 * The index of orders by which their items are found. It is made when it is asked for, beside those that write: pushes
 * that count no items do not pay for it. Without it, items are found all the same, by reading everything.
 */
export function keepOrderIndex({ schema, read, openSession }: JournalAccess): () => Promise<void> {
  let made: Promise<void> | undefined;
  const make = async () => {
    const [index] = await read<{ readonly is_valid: boolean }>(
      'SELECT indisvalid AS is_valid FROM pg_index WHERE indexrelid = to_regclass($1)',
      [`${schema}.push_answer_order`],
    );
    if (index?.is_valid === true) return;
    const session = await openSession();
    try {
      await session.query(
        index === undefined
          ? `CREATE INDEX CONCURRENTLY IF NOT EXISTS push_answer_order ON ${schema}.push_answer
             USING gin (order_hashes) WITH (fastupdate = off)`
          : // One that another process is making is waited for; one that was left unfinished is made again.
            `REINDEX INDEX CONCURRENTLY ${schema}.push_answer_order`,
      );
    } finally {
      await session.close();
    }
  };
  return () => {
    made ??= make().catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
    });
    return made;
  };
}
