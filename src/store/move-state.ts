import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { Failure } from '../base/failure.ts';
import { hint, reviewctl } from '../base/hint.ts';
import { checkpointsIn } from './checkpoints/checkpoint-file.ts';
import { journaledKinds } from './journal/codes.ts';
import type { RunJournal } from './journal/push-journal.ts';
import type { Lock } from './locks/locks.ts';
import { hasLedgerToMove, installMovedLedger, type LedgerMove, moveLedgerWith } from './move-ledger.ts';
import {
  accountNote,
  checkpointPlace,
  journalPath,
  journalPlace,
  openExistingPushJournal,
  openPushJournal,
  stateLocks,
} from './open-store.ts';
import type { Incoming } from './postgres/receive-state.ts';
import { holdsState } from './prepare-state.ts';
import { type MovedState, moveLockName, readMoved, writeMoved } from './state/moved-state.ts';
import type { PostgresStateLocation, SqliteStateLocation, StateLocation } from './state/state-location.ts';

/** What a move took along. */
export interface MovedParts {
  readonly runs: number;
  readonly checkpoints: number;
  readonly hasLedger: boolean;
}

/** A state in a folder, and where it goes, with its ledger. */
export interface StateMove {
  readonly from: SqliteStateLocation;
  readonly to: PostgresStateLocation;
  readonly ledger: LedgerMove;
}

/**
 * Moves the state of a folder to a database. Until one file is written in the folder, the state there is in use; from
 * then on it is frozen, and the one in the database is used. A move that was interrupted before is made again; one that
 * was interrupted later is ended. Nobody else uses either of them meanwhile. Undefined where it was committed before.
 * @throws Failure('locked') while another process uses one of them; Failure('usage') where there is nothing to be
 *   moved, or the database has a state already.
 */
export async function moveState(move: StateMove): Promise<MovedParts | undefined> {
  const { from, to, ledger } = move;
  const known = readMoved(from.folder);
  if (known !== undefined) {
    await finish(move, known);
    return undefined;
  }
  const hasLedger = await hasLedgerToMove(ledger);
  if (!hasLedger && !(await holdsState(from))) throw nothingToMove(from, to);
  return alone(move, async () => {
    const incoming = await announce(from, to, hasLedger);
    const parts = await copy(from, to);
    const moved = { move: incoming.move, to: to.path, shop: to.shop, atMs: ledger.clock.now() };
    const commit = async (further: Pick<MovedState, 'ledger'>) =>
      writeMoved(from.folder, { ...moved, ...further });
    if (hasLedger) await withLedger(move, incoming, (frozen) => commit({ ledger: { frozen } }));
    else await commit({});
    await finish(move, readMoved(from.folder) ?? moved);
    return { ...parts, hasLedger };
  });
}

async function withLedger(
  { to, ledger }: StateMove,
  incoming: Incoming,
  commit: (frozen: string | null) => Promise<void>,
): Promise<void> {
  const { noteMove } = await receiver();
  const known = incoming.ledgerFrozen ?? null;
  const keep = (ledgerFrozen: string | null) => noteMove(to, { ...incoming, ledgerFrozen });
  await moveLedgerWith(ledger, { known, keep }, commit);
}

/** What is left to be done once the move is committed; may be done twice. */
async function finish({ to, ledger }: StateMove, moved: MovedState): Promise<void> {
  if (moved.ledger !== undefined) await installMovedLedger(ledger, moved.ledger.frozen);
  await (await receiver()).endMove(to, moved.move);
}

function receiver() {
  return import('./postgres/receive-state.ts');
}

/** Does `work` while no other process uses the state at either place. */
async function alone<T>({ from, to, ledger }: StateMove, work: () => Promise<T>): Promise<T> {
  const held: Lock[] = [];
  try {
    for (const state of [from, to]) held.push(await stateLocks(state).acquire(moveLockName, 'state move'));
    // A process that acquires another one later finds that the state is being moved.
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

/** Announces the move in the database, and makes sure that nobody has begun to use the state there before. */
async function announce(
  from: SqliteStateLocation,
  to: PostgresStateLocation,
  hasLedger: boolean,
): Promise<Incoming> {
  const { announceMove, noteMove } = await receiver();
  const wanted = randomUUID();
  const announced = { move: wanted, folder: from.folder, host: hostname() };
  const incoming = await announceMove(to, announced, { hasLedger });
  const [user] = await othersIn(to);
  const isUsed = user !== undefined || (incoming.move === wanted && (await hasRuns(to)));
  if (!isUsed) return incoming;
  await noteMove(to, null);
  throw new Failure(
    user === undefined ? 'usage' : 'locked',
    user === undefined
      ? `the state ${to.path} has runs on record already, and two states cannot become one`
      : `the state ${to.path} is in use: another process holds its lock ${user}`,
    'name another shop with -c shop=NAME, which gets a state of its own; nothing was moved',
  );
}

async function hasRuns(to: PostgresStateLocation): Promise<boolean> {
  const journal = await openExistingPushJournal(to);
  if (journal === undefined) return false;
  try {
    return (await journal.runs.list()).length > 0;
  } finally {
    await journal.close();
  }
}

async function copy(
  from: SqliteStateLocation,
  to: PostgresStateLocation,
): Promise<Omit<MovedParts, 'hasLedger'>> {
  const { putNotes } = await receiver();
  const checkpoints = [];
  for (const { list, name, place } of checkpointsIn(from.folder)) {
    const text = await place.read();
    if (text !== undefined) checkpoints.push({ list, name, text });
  }
  await putNotes(to, { account: await accountNote(from).read(), checkpoints });
  for (const { list, name, text } of checkpoints)
    if ((await checkpointPlace(to, list, name).read()) !== text)
      throw differs(`checkpoint ${list} ${name}`, to);
  return { runs: await copyPushes(from, to), checkpoints: checkpoints.length };
}

/** Copies the journal and reads it back; returns how many runs it has. */
async function copyPushes(from: SqliteStateLocation, to: PostgresStateLocation): Promise<number> {
  if (!existsSync(journalPath(from))) return 0;
  await endKilled(from);
  const { copyJournal } = await import('./journal/copy-journal.ts');
  await copyJournal(journalPlace(from), journalPlace(to));
  return comparePushes(from, to);
}

/** Records that killed runs left under way are unknown from now on, as they would be with the next push. */
async function endKilled(from: SqliteStateLocation): Promise<void> {
  const journal = await openPushJournal(from);
  try {
    for (const kind of journaledKinds) await journal.recover(kind);
  } finally {
    await journal.close();
  }
}

/** Compares what both journals know. */
async function comparePushes(from: SqliteStateLocation, to: PostgresStateLocation): Promise<number> {
  const [own, other] = [await openPushJournal(from), await openPushJournal(to)];
  try {
    const runs = await own.runs.list();
    if (JSON.stringify(runs) !== JSON.stringify(await other.runs.list())) throw differs('list of runs', to);
    await compareJobs(own, other, to);
    return runs.length;
  } finally {
    await own.close();
    await other.close();
  }
}

/** Compares every job with its record, and looks the first record of each page up by its id. */
async function compareJobs(own: RunJournal, other: RunJournal, to: PostgresStateLocation): Promise<void> {
  const theirs = other.jobs()[Symbol.asyncIterator]();
  for await (const page of own.jobs()) {
    const { value } = await theirs.next();
    if (JSON.stringify(page) !== JSON.stringify(value)) throw differs('list of jobs', to);
    const [first] = page;
    if (first === undefined) continue;
    const known = await Promise.all([own, other].map((one) => one.known(first.kind, [first.originId])));
    const [here, there] = known.map((records) => JSON.stringify([...records]));
    if (here !== there) throw differs(`record ${first.originId}`, to);
  }
}

function differs(what: string, { path }: PostgresStateLocation): Failure {
  return new Failure(
    'unreadable-path',
    `the ${what} in ${path} is not as it was written; nothing was moved`,
    hint`check the server, then run ${reviewctl`state move`} again`,
  );
}

function nothingToMove({ folder }: SqliteStateLocation, { path }: PostgresStateLocation): Failure {
  return new Failure(
    'usage',
    `there is no state in ${folder} to be moved`,
    hint`${path} can be used at once; to look at it: ${reviewctl`runs list`}`,
  );
}
