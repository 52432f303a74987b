import type { Answer } from '../../journal/packed/answer.ts';
import { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';
import type { RequestId } from '../../journal/push-journal.ts';
import type { Connection, Parameter } from '../../sql/connection.ts';
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
  /** Whether nothing was on record of its records before; known once it is taken. */
  readonly isFirst: boolean;
}

/** What the ends of requests are written with. */
export interface EndParts {
  readonly access: JournalAccess;
  readonly answers: Answers;
  readonly seen: SeenHashes;
}

/** Ends requests; those that are answered while others are written share the next transaction. */
export function createEnds(parts: EndParts) {
  const { access, seen } = parts;
  const commits = createSharedCommits<WaitingEnd>({
    take: (waiting) => takeFirst(waiting, seen) ?? takeDistinct(waiting),
    commit: async (group) => {
      if (group.every(({ isFirst }) => isFirst))
        await access.writeAtOnce((connection) => writeEndsAtOnce(connection, parts, group));
      else await writeSuperseding(parts, group);
      return group.map(({ resolve }) => resolve);
    },
  });
  return {
    end: (ended: EndedRequest): Promise<void> =>
      new Promise((resolve, reject) => {
        commits.add({ ...ended, isFirst: false, resolve, fail: reject });
      }),
    idle: commits.idle,
  };
}

/**
 * Those at the front that are the first to say something of their records; undefined where the next one is not. They
 * count as on record from now on, so of two ends of one record only the first is among them.
 */
function takeFirst(waiting: WaitingEnd[], seen: SeenHashes): readonly WaitingEnd[] | undefined {
  let count = 0;
  for (const { answer } of waiting.slice(0, endedAtOnce)) {
    if (answer !== undefined && !answer.hashes.every((hash) => seen.isAbsent(hash))) break;
    addHashes(seen, answer);
    count += 1;
  }
  return count === 0 ? undefined : waiting.splice(0, count).map((end) => ({ ...end, isFirst: true }));
}

/** Of several ends of one record each sees those before it, so no two of them share a transaction. */
function takeDistinct(waiting: WaitingEnd[]): readonly WaitingEnd[] {
  const taken = new Set<number>();
  let count = 0;
  for (const { answer } of waiting.slice(0, endedAtOnce)) {
    const size = taken.size;
    for (const hash of answer?.hashes ?? []) taken.add(hash);
    if (taken.size < size + (answer?.hashes.length ?? 0)) break;
    count += 1;
  }
  return waiting.splice(0, Math.max(1, count));
}

function addHashes(seen: SeenHashes, answer: PackedAnswer | undefined): void {
  for (const hash of answer?.hashes ?? []) seen.add(hash);
}

async function writeSuperseding(parts: EndParts, ended: readonly EndedRequest[]): Promise<void> {
  const { access, answers, seen } = parts;
  const earlier = takeEarlier(seen, ended);
  await answers.expect(earlier.length);
  await access.write(async (connection, defer) => {
    await supersede(connection, answers, { ended, earlier });
    defer(writeEnds(connection, parts, ended));
  });
}

/** The hashes of those of their records that may have been on record before; all count as on record from now on. */
export function takeEarlier(seen: SeenHashes, ended: readonly EndedRequest[]): readonly number[] {
  const earlier = ended.flatMap(({ answer }) => answer?.hashes.filter((hash) => !seen.isAbsent(hash)) ?? []);
  for (const { answer } of ended) addHashes(seen, answer);
  return earlier;
}

/** Ends, and the hashes of those of their records of which something may be on record. */
interface Superseding {
  readonly ended: readonly EndedRequest[];
  readonly earlier: readonly number[];
}

/** Takes away what earlier requests knew of the same records, within a transaction. */
export async function supersede(
  { query }: Connection,
  answers: Answers,
  { ended, earlier }: Superseding,
): Promise<void> {
  const isDecided = decidedBy(ended.flatMap(({ answer }) => answer ?? []));
  const changes = new AnswerChanges();
  for (const answer of await answers.findToChange(query, earlier)) clearDecided(answer, isDecided, changes);
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
  { access: { schema, state } }: EndParts,
  ended: readonly EndedRequest[],
): Promise<unknown> {
  const answers = ended.flatMap(({ answer }) => answer ?? []);
  const entries = joinBytes(answers.map((answer) => answer.entries));
  const sent = [entries.all, entries.starts, entries.lengths];
  return query(endSql(schema), [...endParameters(state, ended), ...sent], 'end');
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
  const { access } = parts;
  const begun = ended.filter(({ answer }) => answer?.isAsBegun !== false);
  const requests = begun.flatMap(({ request, answer }) => (answer === undefined ? [] : BigInt(request)));
  const parameters = [...endParameters(access.state, begun), requests];
  const rows = await connection.query<RequestRow>(endBegunSql(access.schema), parameters, 'end-begun');
  const found = new Set(rows.map(({ id }) => Number(id)));
  const others = ended.filter(({ request, answer }) => answer !== undefined && !found.has(request));
  if (others.length > 0) await writeEnds(connection, parts, others);
}

interface RequestRow {
  readonly id: bigint;
}

/** What both statements take. */
function endParameters(state: number, ended: readonly EndedRequest[]): Parameter[] {
  const answers = ended.flatMap(({ answer }) => answer ?? []);
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
