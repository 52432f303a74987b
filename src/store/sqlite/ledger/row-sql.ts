import { type Column, columns, type LedgerTable } from '../../ledger/ledger-rows.ts';

/** Writes a row, in place of the one of the same key where there is one; events and plans have none to replace. */
export function insertSql(table: LedgerTable): string {
  const names = [...columns[table], 'seal'];
  const how = table === 'event' || table === 'plan' ? 'INSERT' : 'INSERT OR REPLACE';
  return `${how} INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`;
}

/** The positions of the state in a row of rewards: all but the id and the observation. */
const stateIndexes = columns.reward.flatMap((name, index) =>
  name === 'reward_id' || name.startsWith('seen_') ? [] : [index],
);

const assignments = stateIndexes.map((index) => `${columns.reward[index]} = ?`).join();

/** Updates the state of a reward. Its observation is most of the row, and has an index of its own. */
export const updateStateSql = `UPDATE reward SET ${assignments}, seal = ? WHERE reward_id = ?`;

/** What `updateStateSql` takes, of the values of a whole row. */
export function stateValues(values: readonly Column[]): Column[] {
  const [rewardId = null] = values;
  return [...stateIndexes.map((index) => values[index] ?? null), values.at(-1) ?? null, rewardId];
}
