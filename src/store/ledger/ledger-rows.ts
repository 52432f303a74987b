import { hash } from 'node:crypto';
import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Money } from '../../base/money.ts';
import type {
  Budget,
  Cap,
  EventKind,
  LedgerEntry,
  LedgerEvent,
  PaymentState,
  ReportState,
} from './ledger.ts';
import { type Posting, type Summary, summaryOf } from './ledger-invariants.ts';
import type { PlanRecord } from './ledger-plans.ts';

/*
 * Entries, events, budgets and plans as the rows of any database, whose integers are all read as bigint. Every row
 * carries a seal, a hash of its other columns: a bit that changed on the disk is found before money moves by it.
 */

export type Column = bigint | string | null;
export type LedgerRow = Readonly<Record<string, Column>>;

/** A column of text or of 64-bit integers; `?` where it may be null. */
type ColumnType = 'text' | 'text?' | 'integer' | 'integer?';

/** The columns of the tables whose rows are sealed, in the order of the seal. */
export const sealedColumns = {
  reward: {
    reward_id: 'text',
    payment: 'text',
    report: 'text',
    seen_at_ms: 'integer',
    seen_run: 'text',
    seen_status: 'text',
    seen_amount: 'integer?',
    seen_member: 'text?',
    seen_document: 'text',
    key_generation: 'integer',
    key: 'text?',
    amount: 'integer?',
    member: 'text?',
    document: 'text?', // null: seen_document, once there is a key
    payer: 'text?',
    attempt: 'integer',
    first_call_at_ms: 'integer?',
    last_call_at_ms: 'integer?',
    is_in_doubt: 'integer',
    owner: 'text?',
    lease_until_ms: 'integer?',
    scopes: 'text', // JSON: [scope, ...]
    ref: 'text?',
    reason: 'text?',
  },
  event: {
    seq: 'integer',
    at_ms: 'integer',
    reward_id: 'text',
    kind: 'text',
    by: 'text',
    payment: 'text',
    report: 'text',
    attempt: 'integer',
    detail: 'text', // JSON
    key_generation: 'integer',
    key: 'text?',
    amount: 'integer?',
    member: 'text?',
    scopes: 'text', // JSON: [scope, ...]
    posting: 'text?',
    posted_amount: 'integer?',
    posted_scopes: 'text', // JSON: [scope, ...]
    owner: 'text?', // of a claim
  },
  budget: {
    scope: 'text',
    cap_amount: 'integer?',
    cap_count: 'integer?',
    reserved_amount: 'integer',
    reserved_count: 'integer',
    spent_amount: 'integer',
    spent_count: 'integer',
  },
  plan: { plan: 'text', sha256: 'text', run: 'text', began_at_ms: 'integer', ended_at_ms: 'integer?' },
} as const satisfies Record<string, Readonly<Record<string, ColumnType>>>;

export type LedgerTable = keyof typeof sealedColumns;

/** The values of a row with its seal at the end. */
function sealed(values: readonly Column[]): Column[] {
  return [...values, sealOf(values)];
}

function sealOf(values: readonly Column[]): string {
  const texts = values.map((value) => (typeof value === 'bigint' ? `${value}` : value));
  return hash('sha256', JSON.stringify(texts), 'base64url').slice(0, 16);
}

/** Whether a row is as it was written. */
export function isSealed(table: LedgerTable, row: LedgerRow): boolean {
  // A column that is missing, since its name was damaged, is not one that holds nothing.
  const values = Object.keys(sealedColumns[table]).map((name) => row[name] ?? (name in row ? null : ''));
  return row['seal'] === sealOf(values);
}

/** @throws Failure('ledger') where the row is not as it was written. */
function checkSeal(table: LedgerTable, row: LedgerRow): void {
  if (isSealed(table, row)) return;
  const name = row['reward_id'] ?? row['scope'] ?? row['plan'];
  throw damagedLedger(`its ${table} ${name} was changed after it was written`);
}

/** The failure of a ledger whose rows are not as they were written. */
export function damagedLedger(why: string): Failure {
  return new Failure(
    'ledger',
    `the ledger is damaged: ${why}`,
    hint`run \`${reviewctl`ledger verify`}\`, then restore a backup; a damaged ledger pays nothing`,
  );
}

/** Text of others as a database gives it back: it would cut it at a NUL. */
export function storable(text: string): string;
export function storable(text: string | null): string | null;
export function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\ufffd');
}

export function entryValues(entry: LedgerEntry): Column[] {
  const { seen, terms, call } = entry;
  return sealed([
    entry.rewardId,
    entry.payment,
    entry.report,
    BigInt(seen.atMs),
    seen.run,
    seen.status,
    seen.amount,
    seen.memberOriginId,
    seen.document,
    BigInt(entry.keyGeneration),
    terms?.key ?? null,
    terms?.amount ?? null,
    terms?.memberOriginId ?? null,
    terms === null || terms.document === seen.document ? null : terms.document,
    entry.payer,
    BigInt(entry.attempt),
    integer(entry.firstCallAtMs),
    integer(entry.lastCallAtMs),
    entry.isInDoubt ? 1n : 0n,
    call?.owner ?? null,
    integer(call?.leaseUntilMs ?? null),
    JSON.stringify(entry.scopes),
    entry.ref,
    entry.reason,
  ]);
}

/** @throws Failure('ledger') where the row is not as it was written. */
export function readEntry(row: LedgerRow): LedgerEntry {
  checkSeal('reward', row);
  return {
    rewardId: text(row, 'reward_id'),
    payment: text(row, 'payment') as PaymentState,
    report: text(row, 'report') as ReportState,
    seen: {
      atMs: number(row, 'seen_at_ms'),
      run: text(row, 'seen_run'),
      status: text(row, 'seen_status'),
      amount: amountOrNull(row, 'seen_amount'),
      memberOriginId: textOrNull(row, 'seen_member'),
      document: text(row, 'seen_document'),
    },
    keyGeneration: number(row, 'key_generation'),
    terms:
      row['key'] === null
        ? null
        : {
            key: text(row, 'key'),
            amount: amount(row, 'amount'),
            memberOriginId: text(row, 'member'),
            document: textOrNull(row, 'document') ?? text(row, 'seen_document'),
          },
    payer: textOrNull(row, 'payer'),
    attempt: number(row, 'attempt'),
    firstCallAtMs: numberOrNull(row, 'first_call_at_ms'),
    lastCallAtMs: numberOrNull(row, 'last_call_at_ms'),
    isInDoubt: row['is_in_doubt'] === 1n,
    call:
      row['owner'] === null
        ? null
        : { owner: text(row, 'owner'), leaseUntilMs: numberOrNull(row, 'lease_until_ms') },
    scopes: JSON.parse(text(row, 'scopes')),
    ref: textOrNull(row, 'ref'),
    reason: textOrNull(row, 'reason'),
  };
}

/** What a posting moved: this amount, in each of these scopes. */
export interface Posted {
  readonly kind: Posting;
  readonly amount: Money;
  readonly scopes: readonly string[];
}

/** An event with the state of its entry that it led to. */
export function eventValues(
  entry: LedgerEntry,
  { kind, detail }: { readonly kind: EventKind; readonly detail: JsonObject },
  {
    seq,
    atMs,
    by,
    posted,
  }: {
    readonly seq: number;
    readonly atMs: number;
    readonly by: string;
    readonly posted: Posted | undefined;
  },
): Column[] {
  const { payment, report, attempt, keyGeneration, terms, scopes } = summaryOf(entry);
  return sealed([
    BigInt(seq),
    BigInt(atMs),
    entry.rewardId,
    kind,
    by,
    payment,
    report,
    BigInt(attempt),
    JSON.stringify(detail),
    BigInt(keyGeneration),
    terms?.key ?? null,
    terms?.amount ?? null,
    terms?.memberOriginId ?? null,
    JSON.stringify(scopes),
    posted?.kind ?? null,
    posted?.amount ?? null,
    JSON.stringify(posted?.scopes ?? []),
    kind === 'claimed' ? (entry.call?.owner ?? null) : null,
  ]);
}

/** @throws Failure('ledger') where the row is not as it was written. */
export function readEvent(row: LedgerRow): LedgerEvent {
  checkSeal('event', row);
  return {
    seq: number(row, 'seq'),
    atMs: number(row, 'at_ms'),
    rewardId: text(row, 'reward_id'),
    kind: text(row, 'kind') as EventKind,
    by: text(row, 'by'),
    payment: text(row, 'payment') as PaymentState,
    report: text(row, 'report') as ReportState,
    attempt: number(row, 'attempt'),
    detail: JSON.parse(text(row, 'detail')) as JsonObject,
  };
}

/** The last event of a reward: when it was recorded, and the state that it led to. */
export interface LastEvent {
  readonly atMs: number;
  readonly summary: Summary;
}

/** @throws Failure('ledger') where the row is not as it was written. */
export function readLastEvent(row: LedgerRow): LastEvent {
  checkSeal('event', row);
  return { atMs: number(row, 'at_ms'), summary: readSummary(row) };
}

/** The state of its reward that an event led to. */
export function readSummary(row: LedgerRow): Summary {
  return {
    payment: text(row, 'payment') as PaymentState,
    report: text(row, 'report') as ReportState,
    attempt: number(row, 'attempt'),
    keyGeneration: number(row, 'key_generation'),
    terms:
      row['key'] === null
        ? null
        : { key: text(row, 'key'), amount: amount(row, 'amount'), memberOriginId: text(row, 'member') },
    scopes: JSON.parse(text(row, 'scopes')),
  };
}

export function readPosting(row: LedgerRow): Posting | null {
  return textOrNull(row, 'posting') as Posting | null;
}

/** A budget with the cap that was last reserved under. */
export interface CappedBudget {
  readonly budget: Budget;
  readonly cap: Omit<Cap, 'scope'>;
}

export function budgetValues({ budget, cap }: CappedBudget): Column[] {
  return sealed([
    budget.scope,
    cap.amount,
    integer(cap.count),
    budget.reservedAmount,
    BigInt(budget.reservedCount),
    budget.spentAmount,
    BigInt(budget.spentCount),
  ]);
}

/** @throws Failure('ledger') where the row is not as it was written. */
export function readBudget(row: LedgerRow): CappedBudget {
  checkSeal('budget', row);
  return {
    budget: {
      scope: text(row, 'scope'),
      reservedAmount: amount(row, 'reserved_amount'),
      reservedCount: number(row, 'reserved_count'),
      spentAmount: amount(row, 'spent_amount'),
      spentCount: number(row, 'spent_count'),
    },
    cap: { amount: amountOrNull(row, 'cap_amount'), count: numberOrNull(row, 'cap_count') },
  };
}

export function planValues({ plan, sha256, run, beganAtMs, endedAtMs }: PlanRecord): Column[] {
  return sealed([plan, sha256, run, BigInt(beganAtMs), integer(endedAtMs)]);
}

/** @throws Failure('ledger') where the row is not as it was written. */
export function readPlan(row: LedgerRow): PlanRecord {
  checkSeal('plan', row);
  return {
    plan: text(row, 'plan'),
    sha256: text(row, 'sha256'),
    run: text(row, 'run'),
    beganAtMs: number(row, 'began_at_ms'),
    endedAtMs: numberOrNull(row, 'ended_at_ms'),
  };
}

function integer(value: number | null): bigint | null {
  return value === null ? null : BigInt(value);
}

function text(row: LedgerRow, name: string): string {
  return String(row[name]);
}

function textOrNull(row: LedgerRow, name: string): string | null {
  return row[name] === null ? null : text(row, name);
}

function number(row: LedgerRow, name: string): number {
  return Number(row[name]);
}

function numberOrNull(row: LedgerRow, name: string): number | null {
  return row[name] === null ? null : number(row, name);
}

function amount(row: LedgerRow, name: string): bigint {
  return row[name] as bigint;
}

function amountOrNull(row: LedgerRow, name: string): bigint | null {
  return row[name] as bigint | null;
}
