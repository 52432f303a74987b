import type { Database } from '../../../base/sqlite.ts';
import type { Answer } from '../../journal/packed/answer.ts';
import { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';
import { maskOf } from '../../journal/packed/fate-codec.ts';
import type { JournaledKind, PushJournal } from '../../journal/push-journal.ts';
import type { JournalAccess } from './access.ts';
import type { Records } from './records.ts';

/** Answers that are read at once. */
const answersAtOnce = 50;

/**
 * Settles unknown records. For as long as it takes they are in a table of their own, where SQL finds what goes
 * together, whatever their number.
 */
export function createResolve(
  { database, commit }: JournalAccess,
  records: Records,
): Pick<PushJournal, 'unresolved' | 'resolve'> {
  const withUnknown = async <T>(work: () => T): Promise<T> => {
    await records.load();
    return commit.write(() => {
      records.sync();
      collectUnknown(database, records);
      const result = work();
      database.exec('DROP TABLE temp.unknown');
      return result;
    });
  };
  return {
    unresolved: (kind, run, originIds) =>
      withUnknown(() => selectIds(database, whichOf(kind, run, originIds))),
    resolve: (kind, run, finding, originIds) =>
      withUnknown(() => {
        const settled = selectSettled(database, whichOf(kind, run, originIds));
        for (const { answer: id, positions } of settled) {
          const [answer, changes] = [records.answers.get(id), new AnswerChanges()];
          if (answer === undefined) continue;
          for (const position of positions) changes.settle({ answer, position }, finding);
          records.answers.write(changes);
        }
        return settled.reduce((sum, { recordCount }) => sum + recordCount, 0);
      }),
  };
}

function whichOf(kind: JournaledKind, run: string, originIds: readonly string[] | undefined): Which {
  const carrier = kind === 'order-item' ? 'order' : kind;
  const ids = originIds === undefined ? null : JSON.stringify(originIds);
  return { kind: kindCodes[kind], carrier: kindCodes[carrier], run, ids };
}

function collectUnknown(database: Database, records: Records): void {
  database.exec(`CREATE TEMP TABLE unknown (
    answer INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    origin_id TEXT NOT NULL,
    order_origin_id TEXT,
    run TEXT
  ) STRICT`);
  // As JSON, because a bound text would end at a NUL.
  const insert = database.prepare(
    `INSERT INTO temp.unknown
     SELECT :answer, value ->> 0, value ->> 1, value ->> 2, value ->> 3, :run FROM json_each(:entries)`,
  );
  let last = 0;
  for (;;) {
    const answers = records.answers.after(last, maskOf(stateCodes.unknown), answersAtOnce);
    for (const answer of answers) {
      insert.run({ answer: answer.id, run: answer.run, entries: JSON.stringify(unknownIn(answer)) });
      last = answer.id;
    }
    if (answers.length < answersAtOnce) return;
  }
}

function unknownIn({ entries, fates }: Answer) {
  return Array.from({ length: entries.count }, (_, position) => position)
    .filter((position) => fates.stateAt(position) === stateCodes.unknown)
    .map((position) => [
      position,
      entries.kindCodeAt(position),
      entries.originIdAt(position),
      entries.orderAt(position) ?? null,
    ]);
}

/** Which unknown records are to be settled. */
interface Which {
  readonly kind: number;
  /** The kind of the orders that go with the last of their items; `kind` itself where nothing goes with it. */
  readonly carrier: number;
  readonly run: string;
  /** JSON of originIds, or null for all. */
  readonly ids: string | null;
}

interface SettledIn {
  readonly answer: number;
  readonly positions: readonly number[];
  /** Orders beside items not counted. */
  readonly recordCount: number;
}

/** What the run left unknown, and what it met as unknown from a run before. */
const isSettled = `((run IS :run
      OR origin_id IN (SELECT origin_id FROM noted WHERE run = :run AND outcome = 'unknown'))
    AND (:ids IS NULL OR origin_id IN (SELECT value FROM json_each(:ids))))`;

function selectIds(database: Database, { kind, run, ids }: Which): readonly string[] {
  const rows: readonly { readonly originId: string }[] = database
    .prepare(
      `SELECT origin_id AS originId FROM temp.unknown WHERE kind = :kind AND ${isSettled}
       GROUP BY origin_id ORDER BY min(answer), min(position)`,
    )
    .all({ kind, run, ids });
  return rows.map(({ originId }) => originId);
}

function selectSettled(database: Database, which: Which): readonly SettledIn[] {
  const ordersOf = (items: string) =>
    `SELECT order_origin_id FROM temp.unknown WHERE kind = :kind AND order_origin_id IS NOT NULL AND ${items}`;
  // An order goes with the last of its items: while one is unknown, so is whether the service has the order.
  const rows: readonly SettledRow[] = database
    .prepare(
      `SELECT answer, json_group_array(position) AS positions, sum(kind = :kind) AS recordCount FROM temp.unknown
       WHERE kind = :kind AND ${isSettled}
         OR kind = :carrier AND kind <> :kind
           AND (:ids IS NULL AND run IS :run OR origin_id IN (${ordersOf(isSettled)}))
           AND origin_id NOT IN (${ordersOf(`NOT ${isSettled}`)})
       GROUP BY answer`,
    )
    .all({ ...which });
  return rows.map((row) => ({ ...row, positions: JSON.parse(row.positions) }));
}

interface SettledRow extends Omit<SettledIn, 'positions'> {
  readonly positions: string;
}
