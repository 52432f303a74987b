import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { shareWrites } from '../sql/share-writes.ts';
import type { Sql, Transaction } from '../sql/sql.ts';
import { kindCodes } from './codes.ts';
import { entriesOf, packEntries, packFates, stateMask } from './columns.ts';
import { hashesOf } from './id-hash.ts';
import { type BegunRequest, countRecords, openRequests } from './open-requests.ts';
import type { PushJournal, RequestEnd, RequestId } from './push-journal.ts';
import { deleteOpen, type NewAnswer, type NewRequest, putAnswers, putRequests } from './put-rows.ts';
import { placeEnd } from './request-end.ts';
import type { JournalTables } from './tables.ts';

/** Requests, from their begin to what is known of their entries. */
export interface Requests extends Pick<PushJournal, 'begin' | 'end' | 'recover'> {
  /** Resolves when all that was asked for is written. */
  readonly idle: () => Promise<void>;
}

/**
 * Kinds of which the service shows what it has: a request that is lost with the power of this machine is found there.
 * A server that breaks down leaves this process running, and its journal with a gap.
 */
const shownKinds: ReadonlySet<number> = new Set([kindCodes.product, kindCodes['order-item-update']]);
/** Requests of one transaction, at most. */
const requestsAtOnce = 64;

/** The end of a request, packed before its transaction begins. */
interface EndingRequest extends Omit<NewAnswer, 'request'> {
  readonly request: RequestId;
  /** Where the end names other entries than were begun: they are those of a request of its own. */
  readonly other: NewRequest | undefined;
}

/** Another process may have taken it for one of a dead process, and answered it. */
const deleteRequest =
  'DELETE FROM push_request WHERE id = $1 AND id IN (SELECT id FROM push_open WHERE id = $1)';

export function createRequests(tables: JournalTables): Requests {
  const { sql, state } = tables;
  const underWay = new Map<RequestId, BegunRequest>();
  const begins = shareWrites<NewRequest, RequestId>({
    most: requestsAtOnce,
    write: (items) => writeBegins(tables, items),
  });
  const ends = shareWrites<EndingRequest, void>({
    most: requestsAtOnce,
    write: async (items) => {
      await sql.write((transaction) => writeEnds(tables, transaction, items));
      return items.map(() => undefined);
    },
  });
  return {
    begin: async (kind, entries, runId) => {
      const run = runId ?? null;
      const columns = entriesOf(kind, entries);
      const request = await begins.add({ kind: kindCodes[kind], run, packed: packEntries(columns) });
      underWay.set(request, { kind, request, run, entries, columns });
      return request;
    },
    end: async (_kind, request, outcome) => {
      const sent = underWay.get(request);
      if (sent === undefined) throw new Error(`request ${request} was not begun`);
      await ends.add(packEnd(state, sent, outcome));
      underWay.delete(request);
    },
    recover: (kind, isEnded = () => true) =>
      sql.write(async (transaction) => {
        const open = await openRequests(transaction.query, state, kind);
        const lost = open.filter(({ run }) => isEnded(run));
        await writeEnds(
          tables,
          transaction,
          lost.map((sent) => packEnd(state, sent, { unknown: sent.entries })),
        );
        return lost.reduce((sum, { entries }) => sum + countRecords(entries), 0);
      }),
    idle: async () => {
      await begins.idle();
      await ends.idle();
    },
  };
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
        ids = await putRequests(sql, transaction, state, items);
      },
      mayBeLost ? 'process' : 'power',
    );
    return ids;
  } catch (error) {
    // None of them leaves, so the next run must not take one for lost.
    if (ids.length > 0) await takeBack(sql, ids).catch(ignoreFailure);
    throw error;
  }
}

/** The row of the run is locked: a run that replaces it waits for the requests, or they see that it did. */
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

function packEnd(state: number, begun: BegunRequest, end: RequestEnd): EndingRequest {
  const { kind, run, request } = begun;
  const { entries, fates } = placeEnd(begun.entries, end);
  const isOther = entries !== begun.entries;
  const columns = isOther ? entriesOf(kind, entries) : begun.columns;
  return {
    request,
    mask: stateMask(fates.states),
    packed: packFates(fates),
    hashes: hashesOf(state, columns, fates),
    other: isOther ? { kind: kindCodes[kind], run, packed: packEntries(columns) } : undefined,
  };
}

/** Puts the ends of requests on record. A request without effect goes, as one does whose place another takes. */
async function writeEnds(
  tables: JournalTables,
  transaction: Transaction,
  items: readonly EndingRequest[],
): Promise<void> {
  const { sql, state } = tables;
  const answered = items.filter(({ mask }) => mask !== 0);
  const gone = items.filter(({ mask, other }) => mask === 0 || other !== undefined);
  await transaction.many(
    deleteRequest,
    gone.map(({ request }) => [request]),
  );
  const others = answered.flatMap(({ other }) => other ?? []);
  const ids = await putRequests(sql, transaction, state, others);
  const ended = [...items.map(({ request }) => request), ...ids];
  await transaction.many(
    deleteOpen,
    ended.map((id) => [id]),
  );
  let next = 0;
  const requestOf = ({ request, other }: EndingRequest) =>
    other === undefined ? request : (ids[next++] ?? request);
  await putAnswers(
    tables,
    transaction,
    answered.map((item) => ({ ...item, request: requestOf(item) })),
  );
}

/** Passes over a failure of what only spares the next run a question. */
function ignoreFailure(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}

function replaced(run: string): Failure {
  return new Failure(
    'locked',
    `run ${run} lost its lock, and a later run sends the same records; nothing more is sent by this one`,
    hint`see both with ${reviewctl`runs list`}; what the later one has not sent, the next push sends`,
  );
}
