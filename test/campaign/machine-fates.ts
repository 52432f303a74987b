import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LedgerEvent } from '../../src/store/ledger/ledger.ts';
import { type LedgerServer, type RestoreWay, restoreWays } from './ledger-server.ts';
import { type MachineName, type Machines, machineNames, settleWords } from './machines.ts';
import { recoverLedger } from './recover-ledger.ts';
import { forgetKeys, forgetReports, keysOf, loggedPayments, writeReviews } from './service-and-payer.ts';
import type { SettlePlace } from './settle-place.ts';

/** The disaster that hits the ledger in a round. */
export const fates = ['statement', 'rollback', 'drop', 'move', 'orphan'] as const;

export type Fate = (typeof fates)[number];

/** The machine whose person restores the ledger, and when that was done. */
interface FateEnd {
  readonly person: MachineName;
  readonly soundMs: number;
}

/** Minimum payments before a backup, and after it. */
const paidLeast = 3;
const reviewsBetween = 8;
/** Longer than the service announces a reward. */
const reviewsPauseMs = 10_000;
const moveAttempts = 4;
/** About the number of messages and renames of a move. */
const moveSteps = 130;
const stepKiller = resolve('test', 'cli', 'kill-at-step.cjs');
/** Maximum runs until one calls the payer. Runs that reach no server, which is starting after a crash, do not count. */
const runsMost = 3;
/** Maximum attempts of a person in a hurry. */
const triesMost = 20;
/** The delay of a payer whose caller is killed: less than its time limit. */
const slowMs = 3_000;
/** Longer than the delay of such a payer, so that a person in a hurry is never right. */
const slowLease = '30s';

/**
 * The disaster and what people do about it; ends when all machines settle again.
 * @throws if that does not happen.
 */
export const endure: Readonly<Record<Fate, (machines: Machines, ledger: LedgerServer) => Promise<FateEnd>>> =
  {
    // Every machine knows what the backup lacks, so that only the statement decides.
    statement: (machines, ledger) =>
      restore(machines, ledger, { way: machines.anyOf(restoreWays), poorCount: 1 + machines.draw(2) }),
    // Some machines do not know what is missing; only the ledger shows it.
    rollback: (machines, ledger) =>
      restore(machines, ledger, { way: 'folder', sleepersMost: machineNames.length - 2, poorCount: 0 }),
    drop,
    move,
    orphan,
  };

/** One machine answers webhooks, the others settle. Returns their names. */
function begin(machines: Machines): readonly MachineName[] {
  const [receiver = 'm0', ...settlers] = machines.shuffled(machineNames);
  machines.keepReceiving(receiver);
  for (const name of settlers) machines.keepSettling(name);
  return settlers;
}

interface Restore {
  readonly way: RestoreWay;
  /**
   * Maximum number of machines, at least one, that stay idle from the backup until another machine notices. The
   * receiver is never idle: the service would give up every reward that it announces.
   */
  readonly sleepersMost?: number;
  /** Incomplete statements that a person tries first. */
  readonly poorCount: number;
}

/** Puts the ledger back while all machines settle. */
async function restore(
  machines: Machines,
  ledger: LedgerServer,
  { way, sleepersMost = 0, poorCount }: Restore,
): Promise<FateEnd> {
  const { place } = machines;
  const [, ...others] = begin(machines);
  const sleepers = others.slice(0, Math.min(1, sleepersMost) + machines.draw(sleepersMost));
  await machines.untilPaid(paidLeast);
  await machines.killOne();
  const wake = await machines.loops.rest(sleepers);
  let kept: readonly LedgerEvent[] = [];
  const backup = await ledger.backUp(way, async () => {
    kept = await place.events();
  });
  machines.note(`backup (${way}) at event ${kept.length}; asleep: ${sleepers.join(' ') || 'nobody'}`);
  const awake = machineNames.filter((name) => !sleepers.includes(name));
  await payMore(machines, awake);
  machines.enter({ name: 'nobody has noticed' });
  await ledger.restore(backup, () => noteLost(machines, kept));
  machines.note(`${await machines.untilRefused()} noticed it`);
  // By now the payer may have forgotten every key unknown to the ledger.
  await ledger.still(async () => forgetKeys(place, keysOf(await place.events())));
  machines.enter({ name: 'one machine knows that the ledger is older', expected: [12] });
  wake();
  await machines.pass(machineNames);
  const person = machines.anyOf(machineNames);
  machines.enter({ name: 'a person accepts the ledger' });
  await recoverLedger(machines, person, { ledger, backupMs: backup.atMs, poorCount });
  return goOn(machines, person);
}

/** Drops the schema. A person on an old and on a new machine then follows the messages, and does more. */
async function drop(machines: Machines, ledger: LedgerServer): Promise<FateEnd> {
  const { place } = machines;
  begin(machines);
  await machines.untilPaid(paidLeast);
  await machines.killOne();
  let kept: readonly LedgerEvent[] = [];
  const backup = await ledger.backUp('dump', async () => {
    kept = await place.events();
  });
  machines.note(`backup (dump) at event ${kept.length}`);
  await payMore(machines, machineNames);
  machines.enter({ name: 'nobody has noticed' });
  await ledger.drop(() => noteLost(machines, kept));
  await forgetKeys(place, keysOf(kept));
  machines.enter({ name: 'the schema is missing', expected: [12] });
  const person = machines.anyOf(machineNames);
  for (const name of machines.shuffled<MachineName>([person, 'new'])) {
    await obey(machines, name);
    await machines.expect(name, ['ledger', 'init'], [12]);
  }
  machines.enter({ name: 'a person puts the backup back' });
  await ledger.refill(backup);
  await recoverLedger(machines, person, { ledger, backupMs: backup.atMs, poorCount: 0 });
  return goOn(machines, person);
}

/** A machine that settled alone moves its state here in several attempts, while the others are here already. */
async function move(machines: Machines, ledger: LedgerServer): Promise<FateEnd> {
  const { place } = machines;
  const [mover, ...others] = machineNames;
  for (let run = 1; run <= 2; run += 1)
    await machines.once(mover, [...settleWords, '--max-count', '8'], { ledgerFlags: [] });
  const events = await place.events(ownLedgerPath(place, mover));
  await forgetKeys(place, openKeysOf(events));
  forgetReports(place, new Set(events.map(({ rewardId }) => rewardId)));
  for (let attempt = 1; attempt <= moveAttempts; attempt += 1) {
    const step = attempt === moveAttempts ? 0 : 1 + machines.draw(moveSteps);
    const { exitCode } = await tryMove(machines, ledger, { mover, others, step });
    if (exitCode === 0) break;
    if (!(await ledger.isMoveAnnounced())) continue;
    machines.enter({ name: 'the state is being moved', expected: [9] });
    settleHere(machines, others);
    await machines.pass(others);
    await interfere(machines, machines.anyOf(others));
    machines.enter({ name: 'the move goes on' });
  }
  await machines.untilDone(mover, ['state', 'move']);
  settleHere(machines, machineNames);
  return goOn(machines, mover);
}

interface MoveAttempt {
  readonly mover: MachineName;
  readonly others: readonly MachineName[];
  /** The step before which it is killed; 0 for none. */
  readonly step: number;
}

/** The others settle as soon as they may know of the move. */
async function tryMove(machines: Machines, ledger: LedgerServer, { mover, others, step }: MoveAttempt) {
  const killer = { NODE_OPTIONS: `--require=${stepKiller}`, KILL_STEP: String(step) };
  let isOver = false;
  const moving = machines.once(mover, ['state', 'move'], { env: killer }).finally(() => {
    isOver = true;
  });
  await machines.until('the move is announced or over', async () => isOver || ledger.isMoveAnnounced());
  if (await ledger.isMoveAnnounced()) settleHere(machines, others);
  return moving;
}

/** Makes idle machines settle; the last one answers webhooks. */
function settleHere(machines: Machines, names: readonly MachineName[]): void {
  for (const name of names.filter((one) => !machines.isAtWork(one))) {
    if (name === names.at(-1)) machines.keepReceiving(name);
    else machines.keepSettling(name);
  }
}

/** Acts like people who find a database without their ledger. */
async function interfere(machines: Machines, name: MachineName): Promise<void> {
  await obey(machines, name);
  await machines.expect(name, ['ledger', 'init'], [9]);
  await machines.expect(name, ['ledger', 'accept', '--yes'], [9]);
  const items = join(machines.place.folder, 'items.csv');
  writeFileSync(items, 'orderOriginId,originId,productOriginId\nO-1,I-1,P-1\n');
  await machines.expect(name, ['orders', 'push', items, '-o', 'none'], [9]);
}

/** A machine dies while payer programs run, and a person on another one is in a hurry. */
async function orphan(machines: Machines): Promise<FateEnd> {
  const { place } = machines;
  const [dead, person] = machineNames;
  begin(machines);
  await machines.untilPaid(paidLeast);
  const wake = await machines.loops.rest();
  await writeReviews(place, reviewsBetween);
  const orphans = await orphanPayers(machines, dead);
  machines.note(`${dead} is dead; ${orphans.length} payer programs go on`);
  const isSettling = machines.draw(2) === 0;
  for (let tries = 1; tries <= triesMost; tries += 1) {
    const ids = withoutAnswer(place, orphans);
    if (ids.length === 0) break;
    const words = ['ledger', 'resolve', ...ids, '--not-paid', '--reason', 'not in the books', '--yes'];
    const { exitCode } = await machines.expect(person, words, [6]);
    if (exitCode === 0 || isSettling) await machines.run(person, settleWords);
  }
  wake();
  return goOn(machines, person);
}

/** The rewards that the payer has neither paid nor answered. */
function withoutAnswer(place: SettlePlace, rewards: readonly string[]): readonly string[] {
  const lines = [...loggedPayments(place, 'EFFECT'), ...loggedPayments(place, 'ANSWER')];
  const known = new Set(lines.map(({ reward }) => reward));
  return rewards.filter((id) => !known.has(id));
}

/** Kills a run whose payers have not paid yet; returns the rewards. */
async function orphanPayers(machines: Machines, name: MachineName): Promise<readonly string[]> {
  const { place } = machines;
  const slow = { isCalm: true, env: { PAYER_DELAY_MS: `${slowMs}`, REVIEWCTL_CLAIM_LEASE: slowLease } };
  for (let run = 1; run <= runsMost; ) {
    const { child, ended, stderr } = place.start(settleWords, machines.on(name, slow));
    const called = () => loggedPayments(place, 'CALL').filter(({ caller }) => caller === child.pid);
    try {
      const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
      await machines.until('the payer is called', () => called().length > 1 || hasEnded());
    } finally {
      child.kill('SIGKILL');
    }
    machines.note(
      `${name} calls ${called().length} slow payers -> ${(await ended) ?? 'killed'}: ${stderr()}`,
    );
    if (child.pid !== undefined) machines.killed.push(child.pid);
    if (child.signalCode !== null && called().length > 0) return called().map(({ reward }) => reward);
    if (child.exitCode !== 5) run += 1;
  }
  throw new Error(`${name} called no payer`);
}

/** Pays rewards until each of these machines has seen the ledger. */
async function payMore(machines: Machines, names: readonly MachineName[]): Promise<void> {
  const enough = machines.effects().length + paidLeast;
  let writeAtMs = 0;
  // Reviews keep coming: a reward announced only while nobody received it stays FAILURE.
  await machines.until(`${enough} rewards were paid`, async () => {
    if (machines.effects().length >= enough) return true;
    if (Date.now() < writeAtMs) return false;
    await writeReviews(machines.place, reviewsBetween);
    writeAtMs = Date.now() + reviewsPauseMs;
    return false;
  });
  await machines.pass(names);
}

/** By now the service has also forgotten the reports of payments that the backup lacks. */
async function noteLost(machines: Machines, kept: readonly LedgerEvent[]): Promise<void> {
  const { place } = machines;
  const lost = (await place.events()).slice(kept.length);
  place.noteFate({ restoration: { seq: kept.length, lost } });
  forgetReports(place, new Set(lost.map(({ rewardId }) => rewardId)));
  machines.note(`${lost.length} events are lost`);
}

/** Settles, and runs the command in the message if it says to create a ledger. */
async function obey(machines: Machines, name: MachineName): Promise<void> {
  const { stderr } = await machines.run(name, settleWords);
  const command = /reviewctl (ledger init[^;,\n]*)/.exec(stderr)?.[1];
  if (command === undefined) return;
  machines.note(`the message on ${name} says to type: reviewctl ${command}`);
  // A shell parses the command, as for a person.
  const { exitCode } = await machines.once(name, [], {
    under: ['bash', '-c', `exec "$0" "$@" ${command}`],
    ledgerFlags: [],
  });
  if (exitCode !== 0) return;
  machines.noteTrouble(`on ${name}, a second ledger was created, as the message said`);
  await machines.run(name, settleWords);
}

async function goOn(machines: Machines, person: MachineName): Promise<FateEnd> {
  const soundMs = Date.now();
  machines.enterCalm();
  await writeReviews(machines.place, reviewsBetween);
  await machines.pass(machineNames);
  return { person, soundMs };
}

function ownLedgerPath({ folder, served }: SettlePlace, name: MachineName): string {
  return join(folder, name, 'default', new URL(served.baseUrl).host.replace(':', '_'), 'ledger.db');
}

/** The keys of rewards with an unknown outcome. */
function openKeysOf(events: readonly LedgerEvent[]): ReadonlySet<string> {
  const last = new Map(events.map(({ rewardId, payment }) => [rewardId, payment]));
  return keysOf(events.filter(({ rewardId }) => ['paying', 'unknown'].includes(last.get(rewardId) ?? '')));
}
