import { hash } from 'node:crypto';
import type { SqlReader, Transaction } from '../sql/sql.ts';
import type { LedgerIdentity } from './ledger.ts';
import type { PlaceUsed, Restoration } from './ledger-custody.ts';
import { damagedLedger } from './ledger-rows.ts';
import type { LedgerStart } from './ledger-store.ts';
import { putSql } from './ledger-tables.ts';

/** What a ledger says of itself. It is read and written as a whole, and sealed like a row. */
export interface LedgerMeta extends LedgerIdentity {
  /** Fingerprints of credentials that are known to belong to its shop, in order. */
  readonly accounts: readonly string[];
  /** Further addresses of its service, in order. */
  readonly otherOrigins: readonly string[];
  /** Where it was last used. */
  readonly place: PlaceUsed | null;
  readonly epoch: number;
  /** A new id for each time that a person accepts it. */
  readonly acceptance: string | null;
  /** Why it is frozen. */
  readonly frozen: string | null;
  /** The list whose import has not ended. */
  readonly unfinishedImport: string | null;
  readonly restoration: Restoration | null;
}

/** The meta of a ledger that nothing happened to yet. */
export function newMeta(
  { ledgerId, origin, shop, createdAtMs }: LedgerIdentity,
  { account, unfinishedImport }: Pick<LedgerStart, 'account' | 'unfinishedImport'>,
  place: PlaceUsed | null,
): LedgerMeta {
  return {
    ledgerId,
    origin,
    shop,
    createdAtMs,
    accounts: account === undefined ? [] : [account],
    otherOrigins: [],
    place,
    epoch: 0,
    acceptance: null,
    frozen: unfinishedImport?.reason ?? null,
    unfinishedImport: unfinishedImport?.list ?? null,
    restoration: null,
  };
}

/** Reads the meta; `lock` is that of the database within a transaction that writes. */
export async function readMeta(reader: SqlReader, lock = ''): Promise<LedgerMeta> {
  const select = `SELECT value FROM meta WHERE name = 'about' ${lock}`;
  const [row] = await reader.query<{ readonly value: string }>(select);
  const [seal, ...texts] = (row?.value ?? '').split(' ');
  const text = texts.join(' ');
  if (row === undefined || seal !== sealOf(text)) {
    throw damagedLedger('its table meta was changed after it was written');
  }
  return JSON.parse(text) as LedgerMeta;
}

export async function writeMeta(tx: Pick<Transaction, 'many'>, meta: LedgerMeta): Promise<void> {
  const text = JSON.stringify(meta);
  await tx.many(putSql('meta'), [['about', `${sealOf(text)} ${text}`]]);
}

function sealOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}
