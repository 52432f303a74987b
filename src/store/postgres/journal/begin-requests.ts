import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { packEntries } from '../../journal/packed/entry-codec.ts';
import { kindCodes } from '../../journal/packed/enum-codes.ts';
import type { JournalEntry, JournaledKind, RequestId } from '../../journal/push-journal.ts';
import { createSharedCommits, type Waiting } from '../shared-commits.ts';
import { int4Array, joinBytes } from './binary-parameters.ts';
import type { JournalAccess } from './journal-access.ts';
import type { SentRequest } from './pack-end.ts';

/** Requests that are begun in one transaction, at most. */
const begunAtOnce = 64;

interface WaitingBegin extends Waiting {
  readonly kind: JournaledKind;
  readonly run: string | null;
  readonly packed: Uint8Array;
  readonly resolve: (request: RequestId) => void;
}

/**
 * Puts requests on record before they leave, in a session of their own: those that come meanwhile share the next round
 * trip. A run that was replaced by another one of the same records begins none, however long its process was suspended.
 */
export function createBegins({ schema, state, beginner }: JournalAccess) {
  // The row of the run is locked: a run that replaces it waits for the requests, or they see that it did.
  const insert = `WITH held AS MATERIALIZED (
      SELECT is_replaced FROM ${schema}.push_run WHERE state = $1 AND id = $2 FOR SHARE
    )
    INSERT INTO ${schema}.push_request (state, run, kind, entries)
    SELECT $1, $2, request.kind, substring($4::bytea FROM request.start FOR request.length)
    FROM unnest($3::integer[], $5::integer[], $6::integer[]) WITH ORDINALITY AS request (kind, start, length, place)
    WHERE NOT EXISTS (SELECT 1 FROM held WHERE is_replaced)
    ORDER BY request.place
    RETURNING id`;

  const commits = createSharedCommits<WaitingBegin>({
    take: takeOfOneRun,
    commit: async (group) => {
      const { query } = await beginner();
      const { all, starts, lengths } = joinBytes(group.map(({ packed }) => packed));
      const kinds = int4Array(group.map(({ kind }) => kindCodes[kind]));
      const run = group[0]?.run ?? null;
      const ids = await query<Inserted>(insert, [state, run, kinds, all, starts, lengths], 'begin');
      return group.map((one, index) => () => {
        const id = ids[index]?.id;
        if (id === undefined) one.fail(replaced(run));
        else one.resolve(Number(id));
      });
    },
  });

  return {
    begin: async (
      kind: JournaledKind,
      entries: readonly JournalEntry[],
      run: string | null,
    ): Promise<SentRequest> => {
      const packed = packEntries(kind, entries);
      const request = await new Promise<RequestId>((resolve, reject) => {
        commits.add({ kind, run, packed, resolve, fail: reject });
      });
      return { kind, request, run, entries, packed };
    },
    idle: commits.idle,
  };
}

/** One statement asks whether one run was replaced. */
function takeOfOneRun(waiting: WaitingBegin[]): readonly WaitingBegin[] {
  const other = waiting.findIndex(({ run }) => run !== waiting[0]?.run);
  return waiting.splice(0, Math.min(begunAtOnce, other < 0 ? begunAtOnce : other));
}

interface Inserted {
  readonly id: bigint;
}

function replaced(run: string | null): Failure {
  return new Failure(
    'locked',
    `run ${run} lost its lock, and a later run sends the same records; nothing more is sent by this one`,
    hint`see both with ${reviewctl`runs list`}; what the later one has not sent, the next push sends`,
  );
}
