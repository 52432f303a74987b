import type { Dialect } from '../sql/sql.ts';
import { type LedgerTable, sealedColumns } from './ledger-rows.ts';

/** The format of the tables below. A ledger of any other format is refused, never changed. */
export const ledgerFormat = 11;

/** Types stored as integers. */
const isInteger = /^(number|amount)/;

/** Creates the tables of a ledger. Amounts are ten-thousandths, times are milliseconds since the epoch. */
export function tablesSql(dialect: Dialect): string {
  const { text, integer, tableEnd: end } = dialect;
  const sealed = (table: LedgerTable, key: string, checks: readonly string[] = []) => {
    const lines = Object.entries(sealedColumns[table]).map(
      ([name, type]) =>
        `"${name}" ${isInteger.test(type) ? integer : text}${type.endsWith('?') ? '' : ' NOT NULL'}`,
    );
    const constraints = [`PRIMARY KEY (${key})`, ...checks.map((check) => `CHECK (${check})`)];
    return `CREATE TABLE ${table} (${[...lines, `seal ${text} NOT NULL`, ...constraints].join()}) ${end};`;
  };
  return `
    CREATE TABLE meta (name ${text} PRIMARY KEY, value ${text} NOT NULL) ${end};
    CREATE TABLE lacking (name ${text} PRIMARY KEY, line ${integer} NOT NULL, reward_id ${text}) ${end};
    CREATE TABLE run (run ${text} PRIMARY KEY, command ${text} NOT NULL, at_ms ${integer} NOT NULL,
      succeeded_ms ${integer}) ${end};
    ${sealed('reward', 'reward_id', [
      "payment IN ('intended', 'paying', 'unknown', 'paid', 'refused')",
      "report IN ('pending', 'sent', 'confirmed', 'conflict')",
    ])}
    CREATE INDEX reward_state ON reward (payment, report, reward_id);
    CREATE INDEX reward_seen ON reward (seen_run, reward_id);
    CREATE INDEX reward_ref ON reward (substr(ref, 1, 200)) WHERE ref IS NOT NULL;
    ${sealed('event', 'seq', ["posting IN ('reserve', 'spend', 'release')"])}
    CREATE INDEX event_reward ON event (reward_id, seq);
    CREATE INDEX event_owner ON event (owner, seq) WHERE owner IS NOT NULL;
    CREATE INDEX event_reversed ON event (seq) WHERE kind = 'reversed';
    ${sealed('budget', 'scope', [
      'reserved_amount >= 0 AND reserved_count >= 0 AND spent_amount >= 0 AND spent_count >= 0',
      'cap_amount IS NULL OR reserved_amount + spent_amount <= cap_amount',
      'cap_count IS NULL OR reserved_count + spent_count <= cap_count',
    ])}
    ${sealed('plan', 'plan')}
    ${dialect.forbid('event', ['UPDATE', 'DELETE'])}
    ${dialect.forbid('reward', ['DELETE'])}
    ${dialect.forbid('plan', ['DELETE'])}`;
}

/** The columns of each table. The first one is unique. */
export const tableColumns = {
  meta: ['name', 'value'],
  lacking: ['name', 'line', 'reward_id'],
  run: ['run', 'command', 'at_ms', 'succeeded_ms'],
  reward: columnsOf('reward'),
  event: columnsOf('event'),
  budget: columnsOf('budget'),
  plan: columnsOf('plan'),
} as const satisfies Record<string, readonly [string, ...string[]]>;

export type AnyTable = keyof typeof tableColumns;

function columnsOf(table: LedgerTable): readonly [string, ...string[]] {
  const [first = '', ...others] = Object.keys(sealedColumns[table]);
  return [first, ...others, 'seal'];
}

/** Inserts a row. The parameters are the values of all columns. */
export function insertSql(table: AnyTable): string {
  const names = tableColumns[table];
  const values = names.map((_, index) => `$${index + 1}`);
  return `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join()}) VALUES (${values.join()})`;
}

/** Inserts a row, or replaces the one with the same key. */
export function putSql(table: Exclude<AnyTable, 'event' | 'run'>): string {
  const [key, ...others] = tableColumns[table];
  const assignments = others.map((name) => `"${name}" = excluded."${name}"`);
  return `${insertSql(table)} ON CONFLICT (${key}) DO UPDATE SET ${assignments.join()}`;
}
