import type { Transaction } from '../sql/sql.ts';
import type { RequestId } from './push-journal.ts';
import type { IdRow, JournalTables } from './tables.ts';

export interface NewRequest {
  readonly kind: bigint | number;
  readonly run: string | null;
  /** As `packEntries` has it. */
  readonly packed: Uint8Array;
}

export interface NewAnswer {
  readonly request: RequestId;
  readonly mask: number;
  /** As `packFates` has it. */
  readonly packed: Uint8Array;
  readonly hashes: readonly number[];
}

/** Ends requests under way, by their numbers. */
export const deleteOpen = 'DELETE FROM push_open WHERE id = $1';

/** Puts requests on record, as under way; returns their numbers. */
export async function putRequests(
  { query, many }: Transaction,
  state: number,
  requests: readonly NewRequest[],
): Promise<readonly RequestId[]> {
  const insertOpen = 'INSERT INTO push_open (state, kind) VALUES ($1, $2) RETURNING id';
  const rows = await Promise.all(requests.map(({ kind }) => query<IdRow>(insertOpen, [state, kind])));
  const ids = rows.map(([row]) => Number(row?.id));
  await many(
    'INSERT INTO push_request (id, kind, run, entries) VALUES ($1, $2, $3, $4)',
    requests.map(({ kind, run, packed }, at) => [ids[at] ?? 0, kind, run, packed]),
  );
  return ids;
}

/** Puts answers on record, in their order. */
export async function putAnswers(
  { sql, state }: JournalTables,
  { query, many }: Transaction,
  answers: readonly NewAnswer[],
): Promise<void> {
  const insert = `INSERT INTO push_answer (state, request, mask, fates) VALUES ($1, $2, $3, $4) RETURNING id`;
  const rows = await Promise.all(
    answers.map(({ request, mask, packed }) => query<IdRow>(insert, [state, request, mask, packed])),
  );
  await many(
    'INSERT INTO push_hashes (answer, state, hashes) VALUES ($1, $2, $3)',
    answers.map(({ hashes }, at) => [rows[at]?.[0]?.id ?? 0, state, sql.dialect.packIntegers(hashes)]),
  );
}
