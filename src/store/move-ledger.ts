import { existsSync } from 'node:fs';
import { renameDurably } from '../base/atomic-file.ts';
import type { Clock } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import { hint, reviewctl } from '../base/hint.ts';
import type { EventMark, Ledger } from './ledger/ledger.ts';
import type { LedgerCopy } from './ledger/ledger-copy.ts';
import type { PostgresLedgerLocation, SqliteLedgerLocation } from './ledger/ledger-location.ts';
import { openLedgerStore, ownerLocks, settleLocks } from './open-store.ts';

/** The ledger of a state in a folder, and where it goes. */
export interface LedgerMove {
  readonly from: SqliteLedgerLocation;
  readonly to: PostgresLedgerLocation;
  readonly clock: Clock;
}

/** Why the new ledger is frozen until the move is committed, and the old one in the last instant before. */
function reasonOf({ from, to }: LedgerMove): string {
  return `it is being moved from ${from.path} to ${to.path}: continue that with state move`;
}

/** Whether there is a ledger to be moved: the one in use for its account. */
export async function hasLedgerToMove({ from, clock }: LedgerMove): Promise<boolean> {
  const store = await openLedgerStore(from);
  if (!(await store.exists())) return false;
  const mark = (await store.marks()).find(({ path }) => path === from.path);
  if (mark === undefined || mark.isRetired) return false;
  const { ledger, standing } = await store.openAny({ origin: mark.origin, isAnyOrigin: true, clock });
  await ledger.close();
  return standing.kind === 'current';
}

/**
 * Copies the ledger while no settlement runs, verifies the copy, and freezes the ledger before `commit`, unless it went
 * on meanwhile. `known` is why it was frozen before an interrupted attempt; `keep` receives why it is frozen now.
 * @throws Failure('locked') while a process settles by it; Failure('ledger') where another ledger is there.
 */
export async function moveLedgerWith(
  move: LedgerMove,
  { known, keep }: { readonly known: string | null; readonly keep: (frozen: string | null) => Promise<void> },
  commit: (frozen: string | null) => Promise<void>,
): Promise<void> {
  const { from } = move;
  const lock = await settleLocks(from).acquire(from.lockName, 'rewards settle or rewards export');
  try {
    const { last, frozen } = await copyOf(move, known);
    await keep(frozen);
    await whileFrozen(move, frozen, async (ledger) => {
      await checkUnused(move);
      const { seq } = await ledger.lastEvent();
      if (seq !== last.seq) throw inUse(from.path);
      await commit(frozen);
    });
  } finally {
    await lock.release();
  }
}

/** Puts a copy in the new place and verifies it. */
async function copyOf(move: LedgerMove, known: string | null): Promise<LedgerCopy> {
  await checkUnused(move);
  const [{ copyLedger }, { openLedgerFile }, { openLedgerServer, soundServer }] = await Promise.all([
    import('./ledger/ledger-copy.ts'),
    import('./ledger/ledger-file.ts'),
    import('./ledger/ledger-server.ts'),
  ]);
  const reason = reasonOf(move);
  const from = await openLedgerFile(move.from.path, move.clock);
  try {
    const to = await openLedgerServer(move.to, soundServer(move.to, move.clock));
    try {
      const { last, frozen } = await copyLedger(from, to, { reason, path: move.to.path });
      await verifyCopy(move, last);
      return { last, frozen: frozen === reason ? known : frozen };
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function verifyCopy({ to, clock }: LedgerMove, last: EventMark): Promise<void> {
  const ledger = await (await openLedgerStore(to)).openUnjudged({ clock });
  try {
    if (last.seq > 0 && !(await ledger.hasEvent(last))) throw differs(to.path, 'its last event is missing');
    for await (const wrong of ledger.verify()) throw differs(to.path, wrong);
  } finally {
    await ledger.close();
  }
}

async function whileFrozen(
  { from, ...move }: LedgerMove,
  before: string | null,
  work: (ledger: Ledger) => Promise<void>,
): Promise<void> {
  const ledger = await (await openLedgerStore(from)).openUnjudged({ clock: move.clock });
  try {
    await ledger.freeze(reasonOf({ from, ...move }));
    try {
      await work(ledger);
    } catch (error) {
      await freezeAs(ledger, before);
      throw error;
    }
  } finally {
    await ledger.close();
  }
}

async function freezeAs(ledger: Ledger, reason: string | null): Promise<void> {
  if (reason === null) await ledger.unfreeze();
  else await ledger.freeze(reason);
}

/** @throws Failure('locked') where a process has claims in the ledger: a receiver holds no other lock. */
async function checkUnused({ from }: LedgerMove): Promise<void> {
  const owners = ownerLocks(from);
  for (const owner of await owners.names()) if (await owners.isHeld(owner)) throw inUse(from.path, owner);
}

/** Once the move is committed: makes the new ledger the one in use, and says in the old one where it is. */
export async function installMovedLedger(move: LedgerMove, frozen: string | null): Promise<void> {
  const { from, to, clock } = move;
  if (existsSync(from.callRecordsFolder) && !existsSync(to.callRecordsFolder))
    renameDurably(from.callRecordsFolder, to.callRecordsFolder);
  const store = await openLedgerStore(to);
  const ledger = await store.openUnjudged({ clock });
  try {
    await store.move(ledger, { clock });
    if ((await ledger.frozen()) === reasonOf(move)) await freezeAs(ledger, frozen);
  } finally {
    await ledger.close();
  }
  const old = await (await openLedgerStore(from)).openUnjudged({ clock });
  try {
    await old.freeze(`it was moved to ${to.path}`);
  } finally {
    await old.close();
  }
}

function inUse(path: string, owner?: string): Failure {
  return new Failure(
    'locked',
    `the ledger ${path} is in use${owner === undefined ? '' : ` by run ${owner}`}; nothing was moved`,
    'wait until that has ended, or stop it if it is rewards listen; then run the same command again',
  );
}

function differs(path: string, why: string): Failure {
  return new Failure(
    'ledger',
    `the copy of the ledger in ${path} is not as it was written: ${why}; nothing was moved`,
    hint`check both: ${reviewctl`ledger verify`}, then run ${reviewctl`state move`} again`,
  );
}
