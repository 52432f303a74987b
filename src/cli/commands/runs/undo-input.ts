import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { readUndoLog } from '../../../store/runs/read-undo-log.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { UndoRecord } from '../../../store/runs/undo-log.ts';
import { listUndoLogs } from '../../../store/runs/undo-log-files.ts';
import type { PushInput } from '../../templates/push/push-input.ts';

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

function nothingKept({ id, kind, end }: Run): Failure {
  const { updated = 0, created = 0, failed = 0, rejected = 0 } = end?.tally ?? {};
  const hasWritten = end === undefined || updated + created + failed + rejected > 0;
  return new Failure(
    'usage',
    hasWritten
      ? `the values that run ${id} replaced are not stored: it was pushed with -c undo-days=0, its undo-days ` +
          '(default 30) are over, or every record was rejected'
      : `run ${id} changed nothing, so there is nothing to undo`,
    hasWritten
      ? hint`to restore earlier values, push them from a file: ${reviewctl`${kind} push FILE`}`
      : hint`to see its results: ${reviewctl`runs show ${id}`}`,
  );
}
