import type { PlanRequest, PushFlow } from '../../src/push/plan/request.ts';
import { runFlow } from '../../src/push/plan/run-flow.ts';
import { undoOrderItemsFlow, undoProductsFlow } from '../../src/push/undo/undo.ts';
import type { PushJournal } from '../../src/store/journal/push-journal.ts';
import { openUndoLog, readUndoLog, type UndoLog, type UndoRecord } from '../../src/store/runs/undo-log.ts';
import { listUndoLogs } from '../../src/store/runs/undo-log-files.ts';
import {
  collect,
  type OpenPush,
  openPush,
  type Pushed,
  type PushOptions,
  temporaryFolder,
} from './open-push.ts';

/** Ends a killed process. */
class Killed extends Error {}

/** A process. It is killed at moment `killedAt`, counted before and after each of its effects; by default never. */
export class Life {
  readonly #killedAt: number;
  #moments = 0;
  isOver = false;

  constructor(killedAt = Number.POSITIVE_INFINITY) {
    this.#killedAt = killedAt;
  }

  async act<T>(effect: () => Promise<T>): Promise<T> {
    this.#pass();
    const result = await effect();
    this.#pass();
    return result;
  }

  #pass(): void {
    this.isOver ||= this.#moments === this.#killedAt;
    this.#moments += 1;
    if (this.isOver) throw new Killed();
  }
}

/** The outputs of a run in one process, one request at a time. */
interface Tools {
  readonly journal: PushJournal;
  readonly undoLog: UndoLog;
  readonly concurrency: number;
}

export interface OpenUndo extends OpenPush {
  /** Runs `work` as the run with this id; its tools fail once the process is killed. */
  readonly inRun: (run: string, work: (tools: Tools) => Promise<Pushed>, life?: Life) => Promise<Pushed>;
  readonly undoProducts: (run: string, by: string, options?: UndoOptions) => Promise<Pushed>;
  readonly undoItems: (run: string, by: string, options?: UndoOptions) => Promise<Pushed>;
}

interface UndoOptions {
  readonly life?: Life;
  readonly isDryRun?: boolean;
}

/** A sandbox in process behind the real client, with files for journal and undo logs. */
export async function openUndo({
  around = (transport) => transport,
  ...options
}: PushOptions = {}): Promise<OpenUndo> {
  let current = new Life();
  const push = await openPush({
    ...options,
    around: (transport) => {
      const service = around(transport);
      return (request, signal) => current.act(() => service(request, signal));
    },
  });
  const folder = temporaryFolder();
  const { api, clock } = push;
  const stopping = new AbortController().signal;

  const inRun: OpenUndo['inRun'] = async (run, work, life = new Life()) => {
    const log = openUndoLog(folder, { run, nowMs: 0, days: 30 });
    current = life;
    try {
      return await work({
        concurrency: 1,
        journal: {
          ...push.journal,
          begin: (kind, entries) => life.act(() => push.journal.begin(kind, entries, run)),
          end: (request, end) => life.act(() => push.journal.end(request, end)),
          record: (kind, accepted) => life.act(() => push.journal.record(kind, accepted)),
        },
        undoLog: {
          beforeUpdate: (record) => life.act(() => log.beforeUpdate(record)),
          cancelUpdate: (record) => life.act(() => log.cancelUpdate(record)),
          afterWrite: (record) => life.act(() => log.afterWrite(record)),
        },
      });
    } finally {
      current = new Life();
      await log.close();
    }
  };

  const carryOut = <Q extends PlanRequest>(
    flow: PushFlow<UndoRecord, Q>,
    run: string,
    { isDryRun = false }: UndoOptions,
  ): Promise<Pushed> => {
    const logs = listUndoLogs(folder, 0).filter((file) => file.run === run);
    const source = { kind: 'input', batches: readUndoLog(folder, logs) } as const;
    return collect(runFlow(flow, { source, isDryRun, stopping }));
  };

  return {
    ...push,
    inRun,
    undoProducts: (run, by, options = {}) => {
      const shared = { api, clock, stopping };
      const undo = (tools: Tools) => carryOut(undoProductsFlow({ ...tools, ...shared }), run, options);
      return inRun(by, undo, options.life);
    },
    undoItems: (run, by, options = {}) => {
      const undo = (tools: Tools) => carryOut(undoOrderItemsFlow({ ...tools, api, stopping }), run, options);
      return inRun(by, undo, options.life);
    },
  };
}
