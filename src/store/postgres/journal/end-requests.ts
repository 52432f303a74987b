import type { Answer } from '../../journal/packed/answer.ts';
import { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';
import type { RequestId } from '../../journal/push-journal.ts';
import type { Connection } from '../connection.ts';
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
  const { access, seen } = parts;
  const commits = createSharedCommits<WaitingEnd>({
    take: takeDistinct,
    commit: async (group) => {
      const hashes = group.flatMap(({ answer }) => (answer === undefined ? [] : [...answer.hashes]));
      if (hashes.every((hash) => seen.isAbsent(hash)))
        await access.writeAtOnce((connection) => writeEnds(connection, parts, group));
      else
        await access.write(async (connection, defer) => {
          await supersede(connection, parts, group);
          defer(writeEnds(connection, parts, group));
        });
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

/** Of several ends of one record each sees those before it, so no two of them share a transaction. */
function takeDistinct(waiting: WaitingEnd[]): readonly WaitingEnd[] {
  const taken = new Set<number>();
  const hashesOf = ({ answer }: EndedRequest) => [...(answer?.hashes ?? [])];
  let count = 0;
  for (const one of waiting.slice(0, endedAtOnce)) {
    const hashes = hashesOf(one);
    if (hashes.some((hash) => taken.has(hash))) break;
    for (const hash of hashes) taken.add(hash);
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
  for (const { hashes } of answers) for (const hash of hashes) seen.add(hash);
  const hashes = joinIntegers(answers.map((answer) => answer.hashes));
  const orders = joinIntegers(answers.map((answer) => answer.orderHashes));
  const entries = joinBytes(answers.map((answer) => answer.entries));
  const fates = joinBytes(answers.map((answer) => answer.fates));
  return query(
    endSql(schema),
    [
      state,
      ended.map(({ request }) => BigInt(request)),
      int4Array(answers.map(({ kind }) => kindCodes[kind])),
      answers.map(({ run }) => run),
      int4Array(answers.map(({ mask }) => mask)),
      ...[hashes.all, hashes.starts, hashes.ends],
      ...[orders.all, orders.starts, orders.ends],
      ...[entries.all, entries.starts, entries.lengths],
      ...[fates.all, fates.starts, fates.lengths],
    ],
    'end',
  );
}

function endSql(schema: string): string {
  return `WITH gone AS (DELETE FROM ${schema}.push_request WHERE id = ANY($2::bigint[]))
    INSERT INTO ${schema}.push_answer (state, kind, run, mask, hashes, order_hashes, entries, fates)
    SELECT $1, kind, run, mask, ($6::integer[])[hashes_start : hashes_end], ($9::integer[])[orders_start : orders_end],
      substring($12::bytea FROM entries_start FOR entries_length),
      substring($15::bytea FROM fates_start FOR fates_length)
    FROM unnest($3::integer[], $4::text[], $5::integer[], $7::integer[], $8::integer[], $10::integer[], $11::integer[],
        $13::integer[], $14::integer[], $16::integer[], $17::integer[]) WITH ORDINALITY
      AS answer (kind, run, mask, hashes_start, hashes_end, orders_start, orders_end,
        entries_start, entries_length, fates_start, fates_length, place)
    ORDER BY place`;
}
