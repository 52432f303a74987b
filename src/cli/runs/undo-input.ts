import { Failure } from '../../base/failure.ts';
import { shellWord } from '../../base/shell-word.ts';
import { readUndoLog, type UndoRecord } from '../../store/read-undo-log.ts';
import type { Run } from '../../store/run-log.ts';
import { listUndoLogs } from '../../store/undo-log-files.ts';
import type { PushInput } from '../push-frame/push-input.ts';

/**
 * What a run wrote, from what is kept of it in the state folder.
 * @throws Failure('usage') where nothing is kept; Failure('unreadable-path') where that cannot be read.
 */
export async function inputOfUndoLog(
  folder: string,
  run: Run,
  nowMs: number,
): Promise<PushInput<UndoRecord>> {
  const files = listUndoLogs(folder, nowMs).filter((file) => file.run === run.id);
  if (files.length === 0) throw nothingKept(run);
  // What can be written back comes first.
  const ordered = files.toSorted((one) => (one.holds === 'updates' ? -1 : 1));
  const records = () => readUndoLog(folder, ordered);
  let count = 0;
  for await (const batch of records()) count += batch.length;
  return {
    count,
    source: () => ({ kind: 'input', batches: records() }),
    records,
    leftOut: async function* () {},
    hasCountedIds: false,
    fields: [],
    productKey: undefined,
  };
}

function nothingKept({ id, command, end }: Run): Failure {
  const { updated = 0, created = 0, failed = 0, rejected = 0 } = end?.tally ?? {};
  if (end !== undefined && updated + created + failed + rejected === 0) {
    return new Failure(
      'usage',
      `run ${id} changed nothing, so there is nothing to undo`,
      `reviewctl runs show ${id}`,
    );
  }
  return new Failure(
    'usage',
    `what run ${id} replaced is not kept: it was pushed by an older version or with --undo-days 0, its --undo-days (default 30) are over, or it wrote nothing`,
    `push the earlier values from a file: reviewctl ${command.slice(0, 2).map(shellWord).join(' ')} FILE`,
  );
}
