import type { Answer } from '../../journal/packed/answer.ts';
import { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';
import type { RequestId } from '../../journal/push-journal.ts';
import type { Connection, Parameter } from '../connection.ts';
import { createSharedCommits, type Waiting } from '../shared-commits.ts';
import type { Answers } from './answers.ts';
import { int4Array, joinBytes, joinIntegers } from './binary-parameters.ts';
import type { JournalAccess } from './journal-access.ts';
import { decidedBy, type PackedAnswer } from './pack-end.ts';
import type { SeenHashes } from './seen-hashes.ts';

/** Requests that are ended in one transaction, at most. */
const endedAtOnce = 64;

/** The end of a request; without an answer where it had no effect. */
export interface EndedRequest {
  readonly request: RequestId;
  readonly answer: PackedAnswer | undefined;
}

interface WaitingEnd extends EndedRequest, Waiting {
  readonly resolve: () => void;
}

/** What the ends of requests are written with. */
export interface EndParts {
  readonly access: JournalAccess;
  readonly answers: Answers;
  readonly seen: SeenHashes;
}

/** Ends requests; those that are answered while others are written share the next transaction. */
export function createEnds(parts: EndParts) {
  const { access, answers, seen } = parts;
  const commits = createSharedCommits<WaitingEnd>({
    take: takeDistinct,
    commit: async (group) => {
      if (group.every(({ answer }) => answer === undefined || seen.areAbsent(answer.hashes)))
        await access.writeAtOnce((connection) => writeEndsAtOnce(connection, parts, group));
      else {
        await answers.expect(countHashes(group));
        await access.write(async (connection, defer) => {
          await supersede(connection, parts, group);
          defer(writeEnds(connection, parts, group));
        });
      }
      return group.map(({ resolve }) => resolve);
    },
  });
  return {
    end: (ended: EndedRequest): Promise<void> =>
      new Promise((resolve, reject) => {
        commits.add({ ...ended, resolve, fail: reject });
      }),
    idle: commits.idle,
  };
}

function countHashes(ended: readonly EndedRequest[]): number {
  return ended.reduce((sum, { answer }) => sum + (answer?.hashes.size ?? 0), 0);
}

/** Of several ends of one record each sees those before it, so no two of them share a transaction. */
function takeDistinct(waiting: WaitingEnd[]): readonly WaitingEnd[] {
  const taken = new Set<number>();
  let count = 0;
  for (const { answer } of waiting.slice(0, endedAtOnce)) {
    const size = taken.size;
    for (const hash of answer?.hashes ?? []) taken.add(hash);
    if (taken.size < size + (answer?.hashes.size ?? 0)) break;
    count += 1;
  }
  return waiting.splice(0, Math.max(1, count));
}

/** Takes away what earlier requests knew of the same records, within a transaction. */
export async function supersede(
  { query }: Connection,
  { answers }: EndParts,
  ended: readonly EndedRequest[],
): Promise<void> {
  const later = ended.flatMap(({ answer }) => answer ?? []);
  const isDecided = decidedBy(later);
  const changes = new AnswerChanges();
  for (const answer of await answers.findToChange(
    query,
    later.flatMap(({ hashes }) => [...hashes]),
  ))
    clearDecided(answer, isDecided, changes);
  await Promise.all(answers.write(query, changes));
}

function clearDecided(answer: Answer, isDecided: ReturnType<typeof decidedBy>, changes: AnswerChanges): void {
  const { entries, fates } = answer;
  for (let position = 0; position < entries.count; position += 1) {
    if (fates.stateAt(position) === stateCodes.none) continue;
    if (isDecided(entries.kindCodeAt(position), entries.originIdAt(position)))
      changes.clear({ answer, position });
  }
}

/** Writes the ends of requests in one statement. */
export function writeEnds(
  { query }: Connection,
  { access: { schema, state }, seen }: EndParts,
  ended: readonly EndedRequest[],
): Promise<unknown> {
  const answers = ended.flatMap(({ answer }) => answer ?? []);
  const entries = joinBytes(answers.map((answer) => answer.entries));
  const sent = [entries.all, entries.starts, entries.lengths];
  return query(endSql(schema), [...endParameters(state, ended, seen), ...sent], 'end');
}

/**
 * As `writeEnds`, for ends that no transaction depends on: entries that the server has had since their request began
 * are not sent again, unless another run has taken the request off meanwhile.
 */
async function writeEndsAtOnce(
  connection: Connection,
  parts: EndParts,
  ended: readonly EndedRequest[],
): Promise<void> {
  const { access, seen } = parts;
  const begun = ended.filter(({ answer }) => answer?.isAsBegun !== false);
  const requests = begun.flatMap(({ request, answer }) => (answer === undefined ? [] : BigInt(request)));
  const parameters = [...endParameters(access.state, begun, seen), requests];
  const rows = await connection.query<RequestRow>(endBegunSql(access.schema), parameters, 'end-begun');
  const found = new Set(rows.map(({ id }) => Number(id)));
  const others = ended.filter(({ request, answer }) => answer !== undefined && !found.has(request));
  if (others.length > 0) await writeEnds(connection, parts, others);
}

interface RequestRow {
  readonly id: bigint;
}

/** What both statements take; notes the records as being there. */
function endParameters(state: number, ended: readonly EndedRequest[], seen: SeenHashes): Parameter[] {
  const answers = ended.flatMap(({ answer }) => answer ?? []);
  for (const { hashes } of answers) for (const hash of hashes) seen.add(hash);
  const hashes = joinIntegers(answers.map((answer) => answer.hashes));
  const orders = joinIntegers(answers.map((answer) => answer.orderHashes));
  const fates = joinBytes(answers.map((answer) => answer.fates));
  return [
    state,
    ended.map(({ request }) => BigInt(request)),
    int4Array(answers.map(({ kind }) => kindCodes[kind])),
    answers.map(({ run }) => run),
    int4Array(answers.map(({ mask }) => mask)),
    ...[hashes.all, hashes.starts, hashes.ends],
    ...[orders.all, orders.starts, orders.ends],
    ...[fates.all, fates.starts, fates.lengths],
  ];
}

const columns = 'state, kind, run, mask, hashes, order_hashes, fates, entries';
const values = `$1, kind, run, mask, ($6::integer[])[hashes_start : hashes_end],
  ($9::integer[])[orders_start : orders_end], substring($12::bytea FROM fates_start FOR fates_length)`;
const lists = `$3::integer[], $4::text[], $5::integer[], $7::integer[], $8::integer[], $10::integer[], $11::integer[],
  $13::integer[], $14::integer[]`;
const names =
  'kind, run, mask, hashes_start, hashes_end, orders_start, orders_end, fates_start, fates_length';

function endSql(schema: string): string {
  return `WITH gone AS (DELETE FROM ${schema}.push_request WHERE id = ANY($2::bigint[]))
    INSERT INTO ${schema}.push_answer (${columns})
    SELECT ${values}, substring($15::bytea FROM entries_start FOR entries_length)
    FROM unnest(${lists}, $16::integer[], $17::integer[]) WITH ORDINALITY
      AS answer (${names}, entries_start, entries_length, place)
    ORDER BY place`;
}

/** Answers with the requests that were there. */
function endBegunSql(schema: string): string {
  return `WITH gone AS (DELETE FROM ${schema}.push_request WHERE id = ANY($2::bigint[]) RETURNING id, entries),
    put AS (
      INSERT INTO ${schema}.push_answer (${columns})
      SELECT ${values}, gone.entries
      FROM unnest(${lists}, $15::bigint[]) WITH ORDINALITY AS answer (${names}, request, place)
        JOIN gone ON gone.id = request
      ORDER BY place
    )
    SELECT id FROM gone`;
}
