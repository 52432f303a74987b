import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { shareWrites } from '../sql/share-writes.ts';
import type { Durability, Sql, Transaction } from '../sql/sql.ts';
import { type Entries, entriesOf, outcomesOf, packEntries, unpackEntries } from './columns.ts';
import type { Answer } from './last-entries.ts';
import type { JournalEntry, JournaledKind, PushJournal, RequestId } from './push-journal.ts';
import {
  deleteOpen,
  type NewAnswer,
  type NewRequest,
  packAnswer,
  putAnswers,
  putEnded,
  putRequests,
} from './put-rows.ts';
import { matchOutcomes } from './request-end.ts';
import type { JournalTables } from './tables.ts';

/** Requests, from their beginning to the outcomes of their entries. */
export interface Requests extends Pick<PushJournal, 'begin' | 'end' | 'record' | 'recover'> {
  /** Resolves when all pending writes are done. */
  readonly idle: () => Promise<void>;
}

/**
 * Kinds whose records the service shows: a request lost with the power of this machine is found there. A crash of a
 * database server is different: this process continues with a gap in its journal.
 */
const shownKinds: ReadonlySet<JournaledKind> = new Set(['product', 'order-item-update']);
/**
 * An answer is printed once it is recorded. A crash of a server must not lose an answer that this process, which
 * continues, has printed. If this machine loses power, the process ends, too.
 */
const answerDurability = ({ dialect }: Sql): Durability =>
  dialect.name === 'postgres' ? 'power' : 'process';
/** Maximum number of requests in one transaction. */
const requestsAtOnce = 64;

/** A request begun by this process. */
interface BegunRequest {
  readonly entries: readonly JournalEntry[];
  readonly columns: Entries;
}

/** Another process may have taken it for a request of a dead process, and ended it. */
const deleteRequest =
  'DELETE FROM push_request WHERE id = $1 AND id IN (SELECT id FROM push_open WHERE id = $1)';

export function createRequests(tables: JournalTables): Requests {
  const { sql, state } = tables;
  const underWay = new Map<RequestId, BegunRequest>();
  const begins = shareWrites<NewRequest, RequestId>({
    most: requestsAtOnce,
    write: (items) => writeBegins(tables, items),
  });
  const shared = <Item>(
    put: (tables: JournalTables, tx: Transaction, items: readonly Item[]) => Promise<void>,
  ) =>
    shareWrites<Item, void>({
      most: requestsAtOnce,
      write: async (items) => {
        await sql.write((transaction) => put(tables, transaction, items), answerDurability(sql));
        return items.map(() => undefined);
      },
    });
  const ends = shared(writeEnds);
  const records = shared(putEnded);
  return {
    begin: async (kind, entries, runId) => {
      const run = runId ?? null;
      const columns = entriesOf(kind, entries);
      const request = await begins.add({ kind, run, packed: packEntries(columns) });
      underWay.set(request, { entries, columns });
      return request;
    },
    end: async (request, outcome) => {
      const sent = underWay.get(request);
      if (sent === undefined) throw new Error(`request ${request} was not begun`);
      await ends.add(packAnswer(state, request, sent.columns, matchOutcomes(sent.entries, outcome)));
      underWay.delete(request);
    },
    record: async (kind, accepted) => {
      const entries = accepted.map(({ entry }) => entry);
      await records.add({
        run: null,
        entries: entriesOf(kind, entries),
        outcomes: matchOutcomes(entries, { accepted }),
      });
    },
    recover: (kind, isEnded = () => true) =>
      sql.write(async (transaction) => {
        const lost = (await openRequests(tables, transaction.query, kind)).filter(({ run }) => isEnded(run));
        const ended = lost.map(({ id, entries, outcomes }) => packAnswer(state, id, entries, outcomes));
        await writeEnds(tables, transaction, ended);
        // An order sent with its items is not counted in addition.
        const isOfKind = (one: JournaledKind) => one === kind;
        return lost.reduce((sum, { entries }) => sum + entries.kinds.filter(isOfKind).length, 0);
      }),
    idle: async () => {
      await begins.idle();
      await ends.idle();
      await records.idle();
    },
  };
}

interface RequestRow {
  readonly id: bigint;
  readonly run: string | null;
  readonly entries: Uint8Array;
}

/**
 * The requests of one kind, or of all, that were begun but not ended, in order: as answers in which all records are
 * unknown.
 */
export async function openRequests(
  { state }: JournalTables,
  query: Sql['read'],
  kind?: JournaledKind,
): Promise<readonly Answer[]> {
  const rows = await query<RequestRow>(
    `SELECT push_request.id, run, entries
     FROM push_open JOIN push_request ON push_request.id = push_open.id
     WHERE push_open.state = $1 AND (push_open.kind = $2 OR $2 = '') ORDER BY push_open.id`,
    [state, kind ?? ''],
  );
  return rows.map(({ id, run, entries: packed }) => {
    const entries = unpackEntries(packed);
    return { id: Number(id), run, entries, outcomes: outcomesOf(entries.originIds.length, 'unknown') };
  });
}

async function writeBegins(
  { sql, state }: JournalTables,
  items: readonly NewRequest[],
): Promise<readonly RequestId[]> {
  const mayBeLost = sql.dialect.name === 'sqlite' && items.every(({ kind }) => shownKinds.has(kind));
  let ids: readonly number[] = [];
  try {
    await sql.write(
      async (transaction) => {
        await checkNotReplaced(sql, transaction.query, state, items);
        ids = await putRequests(transaction, state, items);
      },
      mayBeLost ? 'process' : 'power',
    );
    return ids;
  } catch (error) {
    // None of them is sent, so the next run must not take them for lost.
    if (ids.length > 0) await takeBack(sql, ids).catch(ignoreFailure);
    throw error;
  }
}

/** Locks the row of the run: a run that replaces it waits for the requests, or the requests find that it did. */
async function checkNotReplaced(
  { dialect }: Sql,
  query: Sql['read'],
  state: number,
  items: readonly NewRequest[],
): Promise<void> {
  const runs = [...new Set(items.flatMap(({ run }) => run ?? []))];
  const select = `SELECT id, is_replaced FROM push_run WHERE state = $1 AND id = $2 ${dialect.lockRows}`;
  for (const run of runs) {
    const [row] = await query<{ readonly is_replaced: bigint }>(select, [state, run]);
    if (row?.is_replaced === 1n) throw replaced(run);
  }
}

function takeBack(sql: Sql, ids: readonly number[]): Promise<void> {
  const rows = ids.map((id) => [id]);
  return sql.write(async ({ many }) => {
    await many(deleteRequest, rows);
    await many(deleteOpen, rows);
  });
}

/** Records the ends of requests. Deletes a request without effect. */
async function writeEnds(
  tables: JournalTables,
  transaction: Transaction,
  items: readonly NewAnswer[],
): Promise<void> {
  const answered = items.filter(({ mask }) => mask !== 0);
  const { many } = transaction;
  await many(
    deleteRequest,
    items.filter(({ mask }) => mask === 0).map(({ request }) => [request]),
  );
  await many(
    deleteOpen,
    items.map(({ request }) => [request]),
  );
  await putAnswers(tables, transaction, answered);
}

/** Ignores a failure of a write that only saves the next run a question. */
function ignoreFailure(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}

function replaced(run: string): Failure {
  return new Failure(
    'locked',
    `run ${run} lost its lock, and a later run sends the same records; nothing more is sent by this one`,
    hint`see both with ${reviewctl`runs list`}; the next push sends the rest`,
  );
}
