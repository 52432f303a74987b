import { randomUUID } from 'node:crypto';
import type { SqlReader, Transaction } from '../sql/sql.ts';
import type { LedgerMeta } from './ledger.ts';
import { damagedLedger, hashOf } from './ledger-rows.ts';
import type { LedgerStart } from './ledger-store.ts';
import { putSql } from './ledger-tables.ts';

/** The meta of a new, unused ledger. */
export function newMeta(
  { origin, shop, account, unfinishedImport }: Omit<LedgerStart, 'clock'>,
  createdAtMs: number,
): LedgerMeta {
  return {
    ledgerId: randomUUID(),
    origin,
    shop,
    createdAtMs,
    accounts: account === undefined ? [] : [account],
    otherOrigins: [],
    place: null,
    epoch: 0,
    acceptance: null,
    frozen: unfinishedImport?.reason ?? null,
    unfinishedImport: unfinishedImport?.list ?? null,
    restoration: null,
  };
}

/** Reads the meta. `lock` is the dialect's row lock, for a transaction that writes. */
export async function readMeta(reader: SqlReader, lock = ''): Promise<LedgerMeta> {
  const select = `SELECT value FROM meta WHERE name = 'about' ${lock}`;
  const [row] = await reader.query<{ readonly value: string }>(select);
  const [seal, ...texts] = (row?.value ?? '').split(' ');
  const text = texts.join(' ');
  if (row === undefined || seal !== hashOf(text)) {
    throw damagedLedger('its table meta was changed after it was written');
  }
  return JSON.parse(text) as LedgerMeta;
}

export async function writeMeta(tx: Pick<Transaction, 'many'>, meta: LedgerMeta): Promise<void> {
  const text = JSON.stringify(meta);
  await tx.many(putSql('meta'), [['about', `${hashOf(text)} ${text}`]]);
}
