import { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import { packEntries } from '../../journal/packed/entry-codec.ts';
import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';
import { type Fates, maskOf, packFates, stateMask } from '../../journal/packed/fate-codec.ts';
import type { BegunRequest } from '../../journal/packed/open-request.ts';
import { clearRepeated, placeEnd } from '../../journal/packed/place-end.ts';
import type { JournalEntry, JournaledKind, RequestEnd } from '../../journal/push-journal.ts';
import type { Connection } from '../connection.ts';
import { createSharedCommits, type Waiting } from '../shared-commits.ts';
import type { Answers } from './answers.ts';
import { type AbsentHashes, type Hashes, hashList } from './hashes.ts';
import type { JournalAccess } from './journal-access.ts';

/** Requests that are ended in one transaction, at most. */
const endedAtOnce = 64;

/** Ids by the codes of their kinds. */
type IdsByKind = ReadonlyMap<number, ReadonlySet<string>>;

/** The end of a request, ready to be written. */
export interface PackedEnd {
  readonly begun: BegunRequest;
  /** None where nothing is known of any entry. */
  readonly answer:
    | { readonly mask: number; readonly entries: Uint8Array; readonly fates: Uint8Array }
    | undefined;
  /** The records of which something is known now. */
  readonly ids: IdsByKind;
  /** Theirs. */
  readonly hashes: ReadonlySet<number>;
  /** The orders of their items. */
  readonly orderHashes: readonly number[];
}

interface WaitingEnd extends Waiting {
  readonly end: PackedEnd;
  resolve(): void;
}

/** What the parts of a journal share that look records up. */
export interface EndParts {
  readonly access: JournalAccess;
  readonly answers: Answers;
  readonly hashes: Hashes;
  readonly absent: AbsentHashes;
}

/** @throws Error for an end that does not fit its request. */
export function packEnd(begun: BegunRequest, end: RequestEnd, hashes: Hashes): PackedEnd {
  const { entries, fates } = placeEnd(begun.entries, end);
  const records = recordsOf(begun.kind, entries, fates, hashes);
  const mask = stateMask(fates.states);
  if ((mask & ~maskOf(stateCodes.none)) === 0)
    return { begun, answer: undefined, ...records, orderHashes: [] };
  const packed = { mask, entries: packEntries(begun.kind, entries), fates: packFates(fates) };
  return { begun, answer: packed, ...records, orderHashes: orderHashesOf(entries, fates, hashes) };
}

/** Of a record that a request names several times, its last entry decides. */
function recordsOf(
  kind: JournaledKind,
  entries: readonly JournalEntry[],
  fates: Fates,
  hashes: Hashes,
): Pick<PackedEnd, 'ids' | 'hashes'> {
  const ids = new Map<number, Set<string>>();
  const found = new Set<number>();
  for (const [position, { kind: own = kind, originId }] of entries.entries()) {
    if (fates.states[position] === stateCodes.none) continue;
    const ofKind = ids.get(kindCodes[own]) ?? new Set<string>();
    if (ofKind.has(originId)) clearRepeated(entries, fates, position);
    ids.set(kindCodes[own], ofKind.add(originId));
    found.add(hashes.ofRecord(own, originId));
  }
  return { ids, hashes: found };
}

function orderHashesOf(entries: readonly JournalEntry[], fates: Fates, hashes: Hashes): readonly number[] {
  const found = new Set<number>();
  let last: string | undefined;
  for (const [position, { orderOriginId }] of entries.entries()) {
    if (orderOriginId === undefined || orderOriginId === last) continue;
    if (fates.states[position] !== stateCodes.none) found.add(hashes.ofItems(orderOriginId));
    last = orderOriginId;
  }
  return [...found];
}

/** Ends requests; those that are answered while others are written share the next transaction. */
export function createEnds(parts: EndParts) {
  const { access, answers, absent } = parts;
  const commits = createSharedCommits<WaitingEnd>({
    take: takeDistinct,
    commit: async (group) => {
      const ends = group.map(({ end }) => end);
      const looked = ends.flatMap(({ hashes }) => [...hashes].filter((hash) => !absent.has(hash)));
      if (looked.length === 0)
        await access.writeInOneTrip((connection) => writeEnds(connection, parts, ends, new AnswerChanges()));
      else {
        await access.write(async (connection, defer) => {
          const changes = supersede(await answers.findToChange(connection.query, looked), ends);
          for (const writing of writeEnds(connection, parts, ends, changes)) defer(writing);
        });
      }
      return group.map(({ resolve }) => resolve);
    },
  });
  return {
    end: (end: PackedEnd): Promise<void> =>
      new Promise((resolve, reject) => {
        commits.add({ end, resolve, fail: reject });
      }),
    idle: commits.idle,
  };
}

/** Of several ends of one record each sees those before it, so no two of them share a transaction. */
function takeDistinct(waiting: WaitingEnd[]): readonly WaitingEnd[] {
  const seen = new Set<number>();
  let count = 0;
  for (const { end } of waiting.slice(0, endedAtOnce)) {
    if ([...end.hashes].some((hash) => seen.has(hash))) break;
    for (const hash of end.hashes) seen.add(hash);
    count += 1;
  }
  return waiting.splice(0, Math.max(1, count));
}

/** Takes away what earlier requests knew of the same records. */
export function supersede(
  earlier: Awaited<ReturnType<Answers['find']>>,
  ends: readonly PackedEnd[],
): AnswerChanges {
  const changes = new AnswerChanges();
  const isEnded = (code: number, originId: string) => ends.some(({ ids }) => ids.get(code)?.has(originId));
  for (const answer of earlier) {
    const { entries, fates } = answer;
    for (let position = 0; position < entries.count; position += 1) {
      if (fates.stateAt(position) === stateCodes.none) continue;
      if (isEnded(entries.kindCodeAt(position), entries.originIdAt(position)))
        changes.clear({ answer, position });
    }
  }
  return changes;
}

/** Writes the ends of requests, and what has changed of earlier ones by it. */
export function writeEnds(
  { query }: Connection,
  { access: { schema, state }, answers, absent }: EndParts,
  ends: readonly PackedEnd[],
  changes: AnswerChanges,
): readonly Promise<unknown>[] {
  for (const { hashes } of ends) for (const hash of hashes) absent.delete(hash);
  const insert = `INSERT INTO ${schema}.push_answer (state, kind, run, mask, hashes, entries, fates)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`;
  const ids = ends.map(({ begun }) => BigInt(begun.request));
  return [
    ...answers.write(query, changes),
    query(`DELETE FROM ${schema}.push_request WHERE id = ANY($1::bigint[])`, [ids], 'end'),
    ...ends.flatMap(({ begun: { kind, run }, answer, hashes, orderHashes }) => {
      if (answer === undefined) return [];
      const { mask, entries, fates } = answer;
      const found = hashList([...hashes, ...orderHashes]);
      return query(insert, [state, kindCodes[kind], run, mask, found, entries, fates], 'answer');
    }),
  ];
}
