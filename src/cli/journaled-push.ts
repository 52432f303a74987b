import { join } from 'node:path';
import type { ExitCode } from '../base/failure.ts';
import type { Identified } from '../input/check.ts';
import { counted } from '../output/totals.ts';
import type { BulkPush } from '../push/journaled.ts';
import type { Outcome } from '../push/outcome.ts';
import type { JournaledKind } from '../store/push-journal.ts';
import { openSqlitePushJournal } from '../store/sqlite-push-journal.ts';
import type { Invocation } from './command.ts';
import { type PushCommandFlags, type PushKind, pushCommandFlags, runPush } from './push-command.ts';
import { bulkFlags } from './shared-flags.ts';

/** The flags of every push whose records are kept in the journal. */
export const journaledPushFlags = { ...bulkFlags, ...pushCommandFlags };
export type JournaledPushFlags = typeof journaledPushFlags;

export interface JournaledPushKind<T extends Identified> extends Omit<PushKind<T>, 'push'> {
  readonly journaled: JournaledKind;
  push(push: BulkPush<T>): AsyncIterable<readonly Outcome[]>;
}

/** A push whose records the service cannot be asked for, so that the journal is what keeps them from going out twice. */
export function runJournaledPush<T extends Identified>(
  invocation: Invocation<JournaledPushFlags>,
  kind: JournaledPushKind<T>,
): Promise<ExitCode> {
  const { context, flags, notices } = invocation;
  const { batchSize, concurrency, resend } = flags;
  return runPush(invocation as Invocation<PushCommandFlags>, {
    ...kind,
    push: async function* ({ batches, service, folder }) {
      const journal = await openSqlitePushJournal(join(folder, 'pushes.db'));
      try {
        const lost = journal.recover(kind.journaled);
        if (lost > 0)
          notices.warning(`${counted(lost, 'record')} were under way when an earlier run was killed`);
        yield* kind.push({ ...context, batches, api: service.api, journal, batchSize, concurrency, resend });
      } finally {
        journal.close();
      }
    },
  });
}
