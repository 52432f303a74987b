import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Failure } from '../base/failure.ts';
import { hint, reviewctl } from '../base/hint.ts';
import { checkpointsIn } from './checkpoints/stored-checkpoint.ts';
import { copyJournal } from './journal/copy-journal.ts';
import { journaledKinds } from './journal/record-state.ts';
import { copyLedger } from './ledger/ledger-copy.ts';
import { soundServer } from './ledger/ledger-server.ts';
import type { Lock } from './locks/locks.ts';
import { installMovedLedger, type LedgerMove, shopOfLedger, withdrawLedger } from './move-ledger.ts';
import {
  accountNote,
  journalPath,
  journalPlace,
  openExistingPushJournal,
  ownerLocks,
  stateLocks,
} from './open-store.ts';
import { holdsState } from './prepare-state.ts';
import { openPostgres } from './sql/postgres.ts';
import type { Sql, SqlReader, Transaction } from './sql/sql.ts';
import {
  interrupted,
  type MovedState,
  moveLockName,
  readMoved,
  removeMoved,
  writeMoved,
} from './state/moved-state.ts';
import type { PostgresStateLocation, SqliteStateLocation, StateLocation } from './state/state-location.ts';
import { findState, type MovedNotes, receiveState } from './state/state-tables.ts';

/** The parts that were moved. */
export interface MovedParts {
  readonly runs: number;
  readonly checkpoints: number;
  readonly hasLedger: boolean;
}

/** A state in a folder and its target, with its ledger. */
export interface StateMove {
  readonly from: SqliteStateLocation;
  readonly to: PostgresStateLocation;
  readonly ledger: LedgerMove;
}

/**
 * Moves the state of a folder to a database in one transaction, while nobody uses either of them: before the commit,
 * nothing is there. The folder records the move before the commit is sent, so that a commit whose answer is lost is
 * looked up. Returns undefined if an earlier move has arrived.
 * @throws Failure('locked') while another process uses one of them; Failure('usage') as `checkMovable`, or if the
 *   database has a state already; Failure('ledger') if both have a ledger.
 */
export async function moveState(move: StateMove): Promise<MovedParts | undefined> {
  const { from, to, ledger } = move;
  // Checked before locking, since a lock leaves its file in the folder.
  if (readMoved(from.folder) === undefined) await checkMovable(move);
  return alone(move, async () => {
    const known = readMoved(from.folder);
    if (known !== undefined && (await hasArrived(move, known))) {
      if (!known.isFinished) await finish(move, known);
      return undefined;
    }
    removeMoved(from.folder);
    const [user] = await othersIn(to);
    if (user !== undefined) throw usedThere(to, user);
    await endKilled(from);
    const hasLedger = (await shopOfLedger(ledger)) !== undefined;
    const atMs = ledger.clock.now();
    const moved = { move: randomUUID(), to: to.path, shop: to.shop, atMs, hasLedger, isFinished: false };
    const mayHaveArrived = () => readMoved(from.folder) !== undefined;
    const parts = hasLedger
      ? await withdrawLedger(ledger, mayHaveArrived, (source) => send(move, moved, source))
      : await send(move, moved);
    await finish(move, moved);
    return { ...parts, hasLedger };
  });
}

/** @throws Failure('usage') if there is nothing to move, or the state's shop differs from the target's. */
async function checkMovable({ from, to, ledger }: StateMove): Promise<void> {
  const shop = await shopOfLedger(ledger);
  if (shop === undefined && !(await holdsState(from))) throw nothingToMove(from, to);
  if (shop !== undefined && shop !== to.shop) throw ofOtherShop(shop, to);
}

/** True if the database has the state that the folder recorded as moved. */
async function hasArrived(move: StateMove, known: MovedState): Promise<boolean> {
  const { from, to } = move;
  if (known.to !== to.path || known.shop !== to.shop)
    throw known.isFinished ? notMovedHere(to.path) : interrupted(from.folder, known);
  const row = await withDatabase(move, (sql) =>
    known.isFinished
      ? findState({ query: sql.read }, to)
      : // Waits for the end of a commit in progress.
        sql.make((tx) => findState(tx, to)),
  );
  if (row?.move === known.move) return true;
  if (known.isFinished) throw notMovedHere(to.path);
  return false;
}

/** Finishes a move after the state has arrived. */
async function finish({ from, ledger }: StateMove, moved: MovedState): Promise<void> {
  if (moved.hasLedger) await installMovedLedger(ledger);
  writeMoved(from.folder, { ...moved, isFinished: true });
}

/** Runs `work` while no other process uses the state or its ledger, at either place. */
async function alone<T>({ from, to, ledger }: StateMove, work: () => Promise<T>): Promise<T> {
  const held: Lock[] = [];
  try {
    for (const locks of [stateLocks(from), stateLocks(to), ownerLocks(ledger.to)])
      held.push(await locks.acquire(moveLockName, 'state move'));
    // A process that acquires another lock later will find that the state is being moved.
    for (const name of await othersIn(from))
      if (name !== ledger.from.lockName)
        held.push(await stateLocks(from).acquire(name, `with the lock ${name}`));
    return await work();
  } finally {
    for (const lock of held.toReversed()) await lock.release();
  }
}

async function othersIn(state: StateLocation): Promise<readonly string[]> {
  return (await stateLocks(state).names()).filter((name) => name !== moveLockName);
}

/** Copies everything in one transaction, and records the move in the folder last, just before the commit. */
async function send(
  move: StateMove,
  moved: MovedState,
  source?: SqlReader,
): Promise<Omit<MovedParts, 'hasLedger'>> {
  const { from, to, ledger } = move;
  const notes = await notesOf(from);
  const runs = await withDatabase(move, (sql) =>
    sql.make(async (tx) => {
      if (!(await receiveState(tx, to, { ...notes, move: moved.move }))) throw hasState(to);
      if (source !== undefined) await copyLedger(source, { sql, tx, place: ledger.to });
      const copied = await copyPushes(from, to, { sql, tx });
      writeMoved(from.folder, moved);
      return copied;
    }),
  );
  return { runs, checkpoints: notes.checkpoints.length };
}

async function withDatabase<T>({ to, ledger }: StateMove, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = await openPostgres(to, { durability: 'power', accept: soundServer(ledger.to, ledger.clock) });
  try {
    return await work(sql);
  } finally {
    await sql.close();
  }
}

async function notesOf(from: SqliteStateLocation): Promise<Omit<MovedNotes, 'move'>> {
  const checkpoints = [];
  for (const { list, name, place } of checkpointsIn(from.folder)) {
    const text = await place.read();
    if (text !== undefined) checkpoints.push({ list, name, text });
  }
  return { account: await accountNote(from).read(), checkpoints };
}

/** Copies the journal; returns the number of its runs. */
async function copyPushes(
  from: SqliteStateLocation,
  to: PostgresStateLocation,
  target: { readonly sql: Sql; readonly tx: Transaction },
): Promise<number> {
  if (!existsSync(journalPath(from))) return 0;
  const runs = await copyJournal(journalPlace(from), { ...target, place: to });
  if (runs === undefined) throw hasState(to);
  return runs;
}

/** Makes the records of killed runs unknown, as the next push would. */
async function endKilled(from: SqliteStateLocation): Promise<void> {
  const journal = await openExistingPushJournal(from);
  if (journal === undefined) return;
  try {
    for (const kind of journaledKinds) await journal.recover(kind);
  } finally {
    await journal.close();
  }
}

function hasState({ path }: PostgresStateLocation): Failure {
  return new Failure(
    'usage',
    `the state ${path} is already in use, and two states cannot be merged; nothing was moved`,
    'add ?schema=NAME to the setting state, for a state of its own; or, if nothing in the folder is needed, ' +
      'rename it, and use the database without moving anything',
  );
}

/** A ledger keeps its shop, and each state in a database belongs to one shop. */
function ofOtherShop(shop: string, { shop: other }: PostgresStateLocation): Failure {
  return new Failure(
    'usage',
    `the ledger of this state belongs to the shop '${shop}', not to '${other}'; nothing was moved`,
    hint`move it with its shop: ${reviewctl`state move -c shop=${shop}`}; then set this shop on every machine:
      ${reviewctl`config set shop ${shop}`}`,
  );
}

function usedThere({ path }: PostgresStateLocation, lock: string): Failure {
  return new Failure(
    'locked',
    `another process uses the state ${path}: it holds the lock ${lock}; nothing was moved`,
    'wait until that has ended, then run the same command again',
  );
}

function notMovedHere(path: string): Failure {
  return new Failure(
    'config',
    `the state ${path} is not the one that the state of this folder was moved to`,
    'check the settings state and shop, and whether the database was replaced or restored from an older backup',
  );
}

function nothingToMove({ folder }: SqliteStateLocation, { path }: PostgresStateLocation): Failure {
  return new Failure(
    'usage',
    `there is no state in ${folder} to move`,
    hint`${path} can be used at once; to look at it: ${reviewctl`runs list`}`,
  );
}
