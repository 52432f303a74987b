import type { Transaction } from '../sql/sql.ts';
import { type Entries, type Outcomes, packEntries, packOutcomes, stateMask } from './columns.ts';
import { hashesOf } from './id-hash.ts';
import type { JournaledKind, RequestId } from './push-journal.ts';
import type { IdRow, JournalTables } from './tables.ts';

export interface NewRequest {
  readonly kind: JournaledKind;
  readonly run: string | null;
  /** Packed by `packEntries`. */
  readonly packed: Uint8Array;
}

export interface NewAnswer {
  readonly request: RequestId;
  readonly mask: number;
  /** Packed by `packOutcomes`. */
  readonly packed: Uint8Array;
  readonly hashes: Int32Array;
}

/** An ended request, with the outcomes of its entries. */
export interface EndedRequest {
  readonly run: string | null;
  readonly entries: Entries;
  readonly outcomes: Outcomes;
}

/** Ends a request in progress. */
export const deleteOpen = 'DELETE FROM push_open WHERE id = $1';

/** Records requests as in progress; returns their numbers. */
export async function putRequests(
  { query, many }: Transaction,
  state: number,
  requests: readonly NewRequest[],
): Promise<readonly RequestId[]> {
  const insert = 'INSERT INTO push_open (state, kind) VALUES ($1, $2) RETURNING id';
  const ids = await Promise.all(
    requests.map(async ({ kind }) => {
      const [row] = await query<IdRow>(insert, [state, kind]);
      return Number(row?.id);
    }),
  );
  await many(
    'INSERT INTO push_request (id, run, entries) VALUES ($1, $2, $3)',
    requests.map(({ run, packed }, at) => [ids[at] ?? 0, run, packed]),
  );
  return ids;
}

/** Packs the answer to a request with these outcomes. */
export function packAnswer(
  state: number,
  request: RequestId,
  entries: Entries,
  outcomes: Outcomes,
): NewAnswer {
  const mask = stateMask(outcomes.states);
  return { request, mask, packed: packOutcomes(outcomes), hashes: hashesOf(state, entries, outcomes) };
}

/** Records answers, in order. */
export async function putAnswers(
  { sql: { dialect }, state }: JournalTables,
  { many }: Transaction,
  answers: readonly NewAnswer[],
): Promise<void> {
  const insertAnswer = 'INSERT INTO push_answer (state, request, mask, fates) VALUES ($1, $2, $3, $4)';
  const insertHashes = `INSERT INTO push_hashes (answer, state, hashes) VALUES (${dialect.lastCount}, $1, $2)`;
  for (const { request, mask, packed, hashes } of answers) {
    await many(insertAnswer, [[state, request, mask, packed]]);
    await many(insertHashes, [[state, dialect.packIntegers(hashes)]]);
  }
}

/** Records ended requests, in order, each with its answer. */
export async function putEnded(
  tables: JournalTables,
  tx: Transaction,
  ended: readonly EndedRequest[],
): Promise<void> {
  const { state } = tables;
  const requests = ended.map(({ run, entries }) => ({
    kind: entries.kinds[0] ?? 'order',
    run,
    packed: packEntries(entries),
  }));
  const ids = await putRequests(tx, state, requests);
  const answers = ended.map(({ entries, outcomes }, at) =>
    packAnswer(state, ids[at] ?? 0, entries, outcomes),
  );
  await putAnswers(tables, tx, answers);
  await tx.many(
    deleteOpen,
    ids.map((id) => [id]),
  );
}
