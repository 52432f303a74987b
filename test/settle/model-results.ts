import type { PayerAnswer } from '../../src/payer/payer.ts';
import { changeLedger } from './model-ledger.ts';
import type { Frame } from './model-processes.ts';
import type { Move } from './model-search.ts';
import { rewardAt, type State } from './model-state.ts';

/*
 * A person pays a batch by hand, writes down the results, and imports them row by row. If one column was sorted
 * separately, every row has the outcome of another one.
 */

interface ResultsRow {
  readonly reward: number;
  readonly attempt: number;
  readonly answer: PayerAnswer;
}

export function importing(state: State, frame: Frame): Move<State>[] {
  if (!frame.setting.hasBatch) return [];
  const rows = resultsIn(state);
  const isSorted = rows.length > 1 && !frame.protocol.isRowChecked();
  const sorted = rows.map((row, index) => ({ ...row, answer: rows.at(index - 1)?.answer ?? row.answer }));
  return [...rows, ...(isSorted ? sorted : [])].map((row) => imported(state, row, frame));
}

/** The state after the person has paid nothing further, and imported how each payment ended. */
export function importedAll(state: State, frame: Frame): State {
  if (!frame.setting.hasBatch) return state;
  const rows = openRows(state).map(
    (row) => resultsIn(state).find(({ reward }) => reward === row.reward) ?? { ...row, answer: refused },
  );
  return rows.reduce((next, row) => imported(next, row, frame).next, state);
}

const refused: PayerAnswer = { kind: 'refused' };

function imported(state: State, { reward, attempt, answer }: ResultsRow, frame: Frame): Move<State> {
  const step = frame.protocol.answered(attempt, answer, frame.setting.capabilities);
  const { state: next, breach } = changeLedger(state, reward, step, frame);
  return { words: `a person imports that reward ${reward} was ${answer.kind}`, next, breach };
}

/** Exported payments without a decision. */
function openRows(state: State): readonly Omit<ResultsRow, 'answer'>[] {
  return state.rewards.flatMap(({ row: { entry } }, reward) =>
    entry?.payment === 'paying' ? [{ reward, attempt: entry.attempt }] : [],
  );
}

/** The results of open payments so far. */
function resultsIn(state: State): readonly ResultsRow[] {
  return openRows(state).flatMap((row) => {
    const { books, row: own } = rewardAt(state, row.reward);
    const record = books.keys.find(({ key }) => key === own.entry?.terms?.key);
    return record === undefined ? [] : [{ ...row, answer: { kind: record.answer } }];
  });
}
