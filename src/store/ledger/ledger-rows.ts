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
import type { Posting, Summary } from './ledger-invariants.ts';
import type { PlanRecord } from './ledger-plans.ts';

/*
 * Entries, events, budgets and plans as database rows, whose integers are all read as bigint. Every row has a seal, a
 * hash of its other columns, so that a bit changed on the disk is detected before any payment depends on it.
 */

export type Column = bigint | string | null;
export type LedgerRow = Readonly<Record<string, Column>>;

/** Values of a column by its type. Numbers and amounts are stored as 64-bit integers, all others as texts. */
interface Values {
  readonly text: string;
  readonly number: number;
  readonly amount: Money;
  /** JSON: [scope, ...] */
  readonly scopes: readonly string[];
  /** JSON */
  readonly detail: JsonObject;
  readonly payment: PaymentState;
  readonly report: ReportState;
  readonly kind: EventKind;
  readonly posting: Posting;
}

/** `?` follows the type of a column that may be null. */
type ColumnType = keyof Values | `${keyof Values}?`;

/** The columns of the tables whose rows are sealed, in the order of the seal. */
export const sealedColumns = {
  reward: {
    reward_id: 'text',
    payment: 'payment',
    report: 'report',
    seen_at_ms: 'number',
    seen_run: 'text',
    seen_status: 'text',
    seen_amount: 'amount?',
    seen_member: 'text?',
    seen_document: 'text',
    key_generation: 'number',
    key: 'text?',
    amount: 'amount?',
    member: 'text?',
    document: 'text?', // null: seen_document, once there is a key
    payer: 'text?',
    attempt: 'number',
    first_call_at_ms: 'number?',
    last_call_at_ms: 'number?',
    is_in_doubt: 'number',
    owner: 'text?',
    lease_until_ms: 'number?',
    scopes: 'scopes',
    ref: 'text?',
    reason: 'text?',
  },
  event: {
    seq: 'number',
    at_ms: 'number',
    reward_id: 'text',
    kind: 'kind',
    by: 'text',
    payment: 'payment',
    report: 'report',
    attempt: 'number',
    detail: 'detail',
    key_generation: 'number',
    key: 'text?',
    amount: 'amount?',
    member: 'text?',
    scopes: 'scopes',
    posting: 'posting?',
    posted_amount: 'amount?',
    posted_scopes: 'scopes',
    owner: 'text?', // of a claim
  },
  budget: {
    scope: 'text',
    cap_amount: 'amount?',
    cap_count: 'number?',
    reserved_amount: 'amount',
    reserved_count: 'number',
    spent_amount: 'amount',
    spent_count: 'number',
  },
  plan: { plan: 'text', sha256: 'text', run: 'text', began_at_ms: 'number', ended_at_ms: 'number?' },
} as const satisfies Record<string, Readonly<Record<string, ColumnType>>>;

export type LedgerTable = keyof typeof sealedColumns;

type ValueOf<Type> = Type extends keyof Values
  ? Values[Type]
  : Type extends `${infer Base extends keyof Values}?`
    ? Values[Base] | null
    : never;

/** A row with decoded values. */
type RowOf<Table extends LedgerTable> = {
  readonly [Name in keyof (typeof sealedColumns)[Table]]: ValueOf<(typeof sealedColumns)[Table][Name]>;
};

/** Encodes a row and appends its seal. */
function sealed<Table extends LedgerTable>(table: Table, row: RowOf<Table>): Column[] {
  const columns: Column[] = [];
  for (const name in sealedColumns[table]) columns.push(encoded(row[name as keyof RowOf<Table>]));
  return [...columns, sealOf(columns)];
}

function encoded(value: Values[keyof Values] | null): Column {
  if (typeof value === 'number') return BigInt(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function sealOf(columns: readonly Column[]): string {
  return hashOf(JSON.stringify(columns.map((one) => (typeof one === 'bigint' ? `${one}` : one))));
}

/** The hash of `text` used in a seal. */
export function hashOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** True if the row is unchanged. */
export function isSealed(table: LedgerTable, row: LedgerRow): boolean {
  // A missing column, whose name was damaged, differs from a null.
  const columns = Object.keys(sealedColumns[table]).map((name) => row[name] ?? (name in row ? null : ''));
  return row['seal'] === sealOf(columns);
}

/** Decodes a row. @throws Failure('ledger') if the row was changed. */
export function readRow<Table extends LedgerTable>(table: Table, row: LedgerRow): RowOf<Table> {
  if (!isSealed(table, row)) {
    const name = row['reward_id'] ?? row['scope'] ?? row['plan'];
    throw damagedLedger(`its ${table} ${name} was changed after it was written`);
  }
  const types: Readonly<Record<string, ColumnType>> = sealedColumns[table];
  const values: Record<string, unknown> = {};
  for (const name in types) values[name] = decoded(types[name] ?? 'text', row[name] ?? null);
  return values as RowOf<Table>;
}

function decoded(type: ColumnType, column: Column): unknown {
  if (column === null) return null;
  if (type === 'scopes' || type === 'detail') return JSON.parse(String(column));
  return type.startsWith('number') ? Number(column) : column;
}

/** The failure for a ledger with changed rows. */
export function damagedLedger(why: string): Failure {
  return new Failure(
    'ledger',
    `the ledger is damaged: ${why}`,
    hint`run \`${reviewctl`ledger verify`}\`, then restore a backup; a damaged ledger pays nothing`,
  );
}

/** Makes an outside text safe to store. A database would cut it at a NUL. */
export function storable(text: string): string;
export function storable(text: string | null): string | null;
export function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** The columns that rewards and events share. */
function summaryColumns({ payment, report, attempt, keyGeneration, terms, scopes }: Summary) {
  return {
    payment,
    report,
    attempt,
    key_generation: keyGeneration,
    key: terms?.key ?? null,
    amount: terms?.amount ?? null,
    member: terms?.memberOriginId ?? null,
    scopes,
  };
}

/** Reads the state of a reward from its row, or from the event that led to it. */
export function readSummary(row: ReturnType<typeof summaryColumns>): Summary {
  const { payment, report, attempt, key_generation: keyGeneration, key, amount, member, scopes } = row;
  const hasTerms = key !== null && amount !== null && member !== null;
  const terms = hasTerms ? { key, amount, memberOriginId: member } : null;
  return { payment, report, attempt, keyGeneration, terms, scopes };
}

export function entryValues(entry: LedgerEntry): Column[] {
  const { seen, terms, call } = entry;
  return sealed('reward', {
    reward_id: entry.rewardId,
    seen_at_ms: seen.atMs,
    seen_run: seen.run,
    seen_status: seen.status,
    seen_amount: seen.amount,
    seen_member: seen.memberOriginId,
    seen_document: seen.document,
    document: terms === null || terms.document === seen.document ? null : terms.document,
    payer: entry.payer,
    first_call_at_ms: entry.firstCallAtMs,
    last_call_at_ms: entry.lastCallAtMs,
    is_in_doubt: entry.isInDoubt ? 1 : 0,
    owner: call?.owner ?? null,
    lease_until_ms: call?.leaseUntilMs ?? null,
    ref: entry.ref,
    reason: entry.reason,
    ...summaryColumns(entry),
  });
}

/** @throws as `readRow`. */
export function readEntry(of: LedgerRow): LedgerEntry {
  const row = readRow('reward', of);
  const { terms, ...summary } = readSummary(row);
  return {
    rewardId: row.reward_id,
    ...summary,
    seen: {
      atMs: row.seen_at_ms,
      run: row.seen_run,
      status: row.seen_status,
      amount: row.seen_amount,
      memberOriginId: row.seen_member,
      document: row.seen_document,
    },
    terms: terms && { ...terms, document: row.document ?? row.seen_document },
    payer: row.payer,
    firstCallAtMs: row.first_call_at_ms,
    lastCallAtMs: row.last_call_at_ms,
    isInDoubt: row.is_in_doubt === 1,
    call: row.owner === null ? null : { owner: row.owner, leaseUntilMs: row.lease_until_ms },
    ref: row.ref,
    reason: row.reason,
  };
}

/** A posting: this amount, in each of these scopes. */
export interface Posted {
  readonly kind: Posting;
  readonly amount: Money;
  readonly scopes: readonly string[];
}

/** Encodes an event together with the new state of its entry. */
export function eventValues(
  entry: LedgerEntry,
  { kind, detail }: Pick<LedgerEvent, 'kind' | 'detail'>,
  {
    seq,
    atMs,
    by,
    posted,
  }: Pick<LedgerEvent, 'seq' | 'atMs' | 'by'> & { readonly posted: Posted | undefined },
): Column[] {
  return sealed('event', {
    seq,
    at_ms: atMs,
    reward_id: entry.rewardId,
    kind,
    by,
    detail,
    posting: posted?.kind ?? null,
    posted_amount: posted?.amount ?? null,
    posted_scopes: posted?.scopes ?? [],
    owner: kind === 'claimed' ? (entry.call?.owner ?? null) : null,
    ...summaryColumns(entry),
  });
}

/** @throws as `readRow`. */
export function readEvent(row: LedgerRow): LedgerEvent {
  const { seq, at_ms: atMs, reward_id: rewardId, ...event } = readRow('event', row);
  const { kind, by, payment, report, attempt, detail } = event;
  return { seq, atMs, rewardId, kind, by, payment, report, attempt, detail };
}

/** A budget with the cap of its last reservation. */
export interface CappedBudget {
  readonly budget: Budget;
  readonly cap: Omit<Cap, 'scope'>;
}

export function budgetValues({ budget, cap }: CappedBudget): Column[] {
  return sealed('budget', {
    scope: budget.scope,
    cap_amount: cap.amount,
    cap_count: cap.count,
    reserved_amount: budget.reservedAmount,
    reserved_count: budget.reservedCount,
    spent_amount: budget.spentAmount,
    spent_count: budget.spentCount,
  });
}

/** @throws as `readRow`. */
export function readBudget(of: LedgerRow): CappedBudget {
  const row = readRow('budget', of);
  return {
    budget: {
      scope: row.scope,
      reservedAmount: row.reserved_amount,
      reservedCount: row.reserved_count,
      spentAmount: row.spent_amount,
      spentCount: row.spent_count,
    },
    cap: { amount: row.cap_amount, count: row.cap_count },
  };
}

export function planValues({ beganAtMs, endedAtMs, ...plan }: PlanRecord): Column[] {
  return sealed('plan', { ...plan, began_at_ms: beganAtMs, ended_at_ms: endedAtMs });
}

/** @throws as `readRow`. */
export function readPlan(row: LedgerRow): PlanRecord {
  const { began_at_ms: beganAtMs, ended_at_ms: endedAtMs, ...plan } = readRow('plan', row);
  return { ...plan, beganAtMs, endedAtMs };
}
