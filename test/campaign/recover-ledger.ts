import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { LedgerServer } from './ledger-server.ts';
import type { MachineName, Machines } from './machines.ts';
import { lateMs } from './service-and-payer.ts';

/** A kind of statement that a person may get from the payer. */
interface StatementKind {
  /** The payments in it: all, those before the backup, or also some after it. */
  readonly until: 'now' | 'backup' | 'between';
  /** True if each payment has its time. */
  readonly isDated: boolean;
  /** True if the person states its end. */
  readonly hasEnd: boolean;
}

/** Statements that lack payments made after the backup, and one that may or may not. */
const poorStatements: readonly StatementKind[] = [
  { until: 'backup', isDated: false, hasEnd: false },
  { until: 'between', isDated: false, hasEnd: false },
  { until: 'now', isDated: false, hasEnd: false },
  { until: 'backup', isDated: true, hasEnd: false },
  { until: 'between', isDated: true, hasEnd: false },
  { until: 'backup', isDated: false, hasEnd: true },
  { until: 'between', isDated: false, hasEnd: true },
];

const wholeStatement: StatementKind = { until: 'now', isDated: true, hasEnd: true };

interface Recovery {
  readonly ledger: LedgerServer;
  /** The time of the backup. */
  readonly backupMs: number;
  /** Number of incomplete statements that the person tries first. */
  readonly poorCount: number;
}

/**
 * Acts like a person whose ledger was put back: accepts it, and compares it with one statement after the other until
 * `unfreeze` succeeds.
 */
export async function recoverLedger(
  machines: Machines,
  name: MachineName,
  { ledger, backupMs, poorCount }: Recovery,
): Promise<void> {
  await machines.untilDone(name, ['ledger', 'accept', '--yes']);
  const statements = [...machines.shuffled(poorStatements).slice(0, poorCount), wholeStatement];
  for (const statement of statements) {
    machines.enter({ name: 'the ledger is frozen', expected: [7] });
    if (await isUnfrozenBy(machines, name, { ledger, statement, backupMs })) return;
  }
  throw new Error('the ledger stays frozen after a statement that lacks nothing');
}

interface Comparison extends Pick<Recovery, 'ledger' | 'backupMs'> {
  readonly statement: StatementKind;
}

async function isUnfrozenBy(
  machines: Machines,
  name: MachineName,
  { ledger, statement, backupMs }: Comparison,
): Promise<boolean> {
  // A statement up to now requires waiting for payments in progress.
  if (statement.until === 'now') await systemClock.sleep(lateMs);
  const { path, endMs, isWhole } = writeStatement(machines, { ledger, statement, backupMs });
  const end = new Date(endMs).toISOString();
  machines.note(`statement: ${JSON.stringify(statement)}, until ${end}`);
  const reconcile = [
    'ledger',
    'reconcile',
    '--payer-statement',
    path,
    '--kind',
    'paid-by-payer',
    '-o',
    'ids',
  ];
  const period = statement.hasEnd ? ['--statement-end', end] : [];
  const { stdout } = await machines.untilDone(name, [...reconcile, ...period], [0, 3, 6, 11]);
  const ids = stdout.split('\n').filter(Boolean);
  if (ids.length > 0)
    await machines.untilDone(
      name,
      ['ledger', 'resolve', ...ids, '--paid', '--ref', 'books', '--yes'],
      [0, 6],
    );
  await ledger.still(async () => {
    const { length: unfrozenSeq } = await machines.place.events();
    machines.place.noteFate({ unfrozenSeq });
  });
  machines.enter({ name: 'a person unfreezes the ledger' });
  const { exitCode } = await machines.untilDone(name, ['ledger', 'unfreeze'], [0, 7]);
  if (exitCode === 0 && !isWhole)
    machines.noteTrouble('the ledger was unfrozen by a statement that lacks payments made after the backup');
  return exitCode === 0;
}

function writeStatement(
  machines: Machines,
  { statement: { until, isDated }, backupMs }: Comparison,
): { readonly path: string; readonly endMs: number; readonly isWhole: boolean } {
  const path = join(machines.place.folder, 'statement.csv');
  const payments = machines.effects();
  const later = payments.filter(({ atMs }) => atMs > backupMs).slice(0, -1);
  const betweenMs = later.length === 0 ? backupMs : machines.anyOf(later).atMs;
  const endMs = { now: Date.now(), backup: backupMs, between: betweenMs }[until];
  const shown = payments.filter(({ atMs }) => atMs <= endMs);
  const lines = shown.map(({ key, amount, atMs }) => {
    const time = isDated ? [new Date(atMs).toISOString()] : [];
    return [key, amount, ...time].join();
  });
  writeFileSync(path, [`key,amount${isDated ? ',paidAt' : ''}`, ...lines, ''].join('\n'));
  return { path, endMs, isWhole: shown.length === payments.length };
}
