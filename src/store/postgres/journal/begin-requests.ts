import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { packEntries } from '../../journal/packed/entry-codec.ts';
import { kindCodes } from '../../journal/packed/enum-codes.ts';
import type { JournalEntry, JournaledKind, RequestId } from '../../journal/push-journal.ts';
import type { Connection } from '../connection.ts';
import { createSharedCommits, type Waiting } from '../shared-commits.ts';
import { inOneTrip, type JournalAccess } from './journal-access.ts';

/** Requests that are begun in one transaction, at most. */
const begunAtOnce = 64;

export interface WaitingBegin extends Waiting {
  readonly kind: JournaledKind;
  readonly run: string | null;
  readonly entries: Uint8Array;
  resolve(request: RequestId): void;
}

/**
 * Puts requests on record before they leave, in a session of their own: those that come meanwhile share the next round
 * trip. A run that was replaced by another one of the same records begins none, however long its process was suspended.
 */
export function createBegins({ schema, state, beginner }: JournalAccess) {
  // Locks the row of the run, so that whoever replaces it waits for the request, or the request sees that it did.
  const holdRun = `SELECT 1 FROM ${schema}.push_run WHERE state = $1 AND id = $2 FOR SHARE`;
  const insert = `INSERT INTO ${schema}.push_request (state, kind, run, entries)
    SELECT $1, $2, $3, $4
    WHERE NOT EXISTS (SELECT 1 FROM ${schema}.push_run WHERE state = $1 AND id = $3 AND is_replaced)
    RETURNING id`;

  function ask({ query }: Connection, group: readonly WaitingBegin[]) {
    const runs = new Set(group.flatMap(({ run }) => run ?? []));
    const held = Array.from(runs, (run) => query<Inserted>(holdRun, [state, run], 'hold-run'));
    const inserted = group.map(({ kind, run, entries }) =>
      query<Inserted>(insert, [state, kindCodes[kind], run, entries], 'begin'),
    );
    return [...held, ...inserted];
  }

  const commits = createSharedCommits<WaitingBegin>({
    take: (waiting) => waiting.splice(0, begunAtOnce),
    commit: async (group) => {
      const connection = await beginner();
      const answers = (await inOneTrip(connection, () => ask(connection, group))).slice(-group.length);
      return group.map((one, index) => () => {
        const id = answers[index]?.[0]?.id;
        if (id === undefined) one.fail(replaced(one.run));
        else one.resolve(Number(id));
      });
    },
  });

  return {
    begin: (
      kind: JournaledKind,
      entries: readonly JournalEntry[],
      run: string | null,
    ): Promise<RequestId> => {
      const packed = packEntries(kind, entries);
      return new Promise((resolve, reject) => {
        commits.add({ kind, run, entries: packed, resolve, fail: reject });
      });
    },
    idle: commits.idle,
  };
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
