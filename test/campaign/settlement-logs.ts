import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/base/failure.ts';
import { formatMoney } from '../../src/base/money.ts';
import type { Ledger, LedgerEvent } from '../../src/store/ledger/ledger.ts';
import { violationsOf } from './settlement-rules.js';

/** A line of one of the three logs; `settlement-rules.js` describes them. */
export interface LogLine {
  readonly what: string;
  readonly [name: string]: unknown;
}

type LogName = 'payer' | 'service' | 'ledger';

/** Appends lines to a log in `folder`; creates it if missing. */
export function appendLog(folder: string, name: LogName, lines: readonly LogLine[]): void {
  mkdirSync(folder, { recursive: true });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  appendFileSync(join(folder, `${name}.ndjson`), text);
}

/** A run that used the ledger alone: its exit code, and the last event before its end. */
export interface LoneRun {
  readonly exitCode: number | null;
  readonly seq: number;
}

/** A backup that replaced the ledger: its last event, and the later events of the lost ledger. */
export interface Restoration {
  readonly seq: number;
  readonly lost: readonly LedgerEvent[];
}

/** The disasters of a ledger, which it does not record itself. */
export interface LedgerFate {
  restoration?: Restoration;
  /** Its last event before a person unfroze it; until then nobody calls the payer. */
  unfrozenSeq?: number;
  /** Events recorded in a ledger that was moved away, to which processes may still write. */
  left?: readonly LedgerEvent[];
}

/** Writes the complete content of the ledger to the log; if it cannot be opened, records that. */
export async function dumpLedger(
  folder: string,
  open: () => Promise<Ledger>,
  loneRuns: readonly LoneRun[],
  { restoration, unfrozenSeq, left = [] }: LedgerFate = {},
): Promise<void> {
  writeFileSync(join(folder, 'ledger.ndjson'), '');
  appendLog(folder, 'ledger', withLost(await dumpLines(open, loneRuns), restoration, unfrozenSeq));
  appendLog(
    folder,
    'ledger',
    left.map((event) => ({ what: 'LEFT', ...event })),
  );
}

/** Inserts the lost events after the last event of the backup. */
function withLost(
  lines: readonly LogLine[],
  restoration: Restoration | undefined,
  unfrozenSeq?: number,
): readonly LogLine[] {
  if (restoration === undefined) return lines;
  const { seq, lost } = restoration;
  const next = lines.findIndex((line) => line.what === 'EVENT' && Number(line['seq']) > seq);
  const at = next === -1 ? lines.length : next;
  const between = [
    { what: 'RESTORED', seq, unfrozenSeq },
    ...lost.map((event) => ({ what: 'LOST', ...event })),
  ];
  return [...lines.slice(0, at), ...between, ...lines.slice(at)];
}

/** As `dumpLedger`, but returns the lines. */
export async function dumpLines(
  open: () => Promise<Ledger>,
  loneRuns: readonly LoneRun[],
): Promise<readonly LogLine[]> {
  try {
    const ledger = await open();
    try {
      return await linesOf(ledger, loneRuns);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    return [{ what: 'WRONG', message: messageOf(error) }];
  }
}

/** The complete content of a ledger, with the ends of runs between its events. */
export async function linesOf(ledger: Ledger, loneRuns: readonly LoneRun[]): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  const runs = [...loneRuns];
  const endRuns = (seq: number) => {
    while (runs[0] !== undefined && runs[0].seq < seq) lines.push({ what: 'RUN', ...runs.shift() });
  };
  for await (const page of ledger.events()) {
    for (const event of page) {
      endRuns(event.seq);
      lines.push({ what: 'EVENT', ...event });
    }
  }
  endRuns(Number.POSITIVE_INFINITY);
  for (const { scope, reservedAmount, spentAmount } of await ledger.budgets('')) {
    const amounts = { reservedAmount: formatMoney(reservedAmount), spentAmount: formatMoney(spentAmount) };
    lines.push({ what: 'BUDGET', scope, ...amounts });
  }
  for await (const message of ledger.verify()) lines.push({ what: 'WRONG', message });
  return lines;
}

/** The facts needed to judge the logs. */
export interface Judgement {
  readonly isIdempotent: boolean;
  /** True if the payer's answers can be read after a kill. */
  readonly hasEvidence: boolean;
  readonly isClockSteady: boolean;
  /** True if there are several machines, which do not see each other's payer programs. */
  readonly areMachines?: boolean;
  /** Killed owners, by name or process id. */
  readonly killed: readonly (string | number)[];
  /** Rewards for which the payer never answers. */
  readonly poisoned?: readonly string[];
  readonly maxPerRun?: string;
  readonly maxPerDay?: string;
  readonly maxPerMember?: string;
}

/** Describes each promise broken in the logs in `folders`. */
export function checkSettlement(folders: readonly string[], judgement: Judgement): readonly string[] {
  return folders.flatMap((folder) => {
    const logs = {
      payer: readLog(folder, 'payer'),
      service: readLog(folder, 'service'),
      ledger: readLog(folder, 'ledger'),
    };
    const violations = violationsOf(logs, judgement);
    return folders.length > 1 ? violations.map((violation) => `${folder}: ${violation}`) : violations;
  });
}

function readLog(folder: string, name: LogName): readonly LogLine[] {
  const lines = readFileSync(join(folder, `${name}.ndjson`), 'utf8').split('\n');
  return lines.filter(Boolean).map((line): LogLine => JSON.parse(line));
}
