import { basename } from 'node:path';
import { isJsonObject, type Json } from '../../base/json.ts';
import { outcomeWords } from '../../push/steps/outcome.ts';
import { countsInWords } from '../terminal/totals.ts';
import { textOf } from './fields.ts';
import { amount, date, note, number, optional, text, type View, word } from './view.ts';

/** A recorded run. */
export const runView: View = {
  noun: 'run',
  id: 'run',
  csvColumns: [
    'run',
    'kind',
    'state',
    'exitCode',
    'startedAt',
    'endedAt',
    'undoableUntil',
    'records',
    ...outcomeWords.map((word) => `outcomes.${word}`),
    'files',
    'plan',
    'shard',
    'command',
    'folder',
    'import',
  ],
  columns: [
    word('run'),
    word('kind'),
    amount('records', 'records', optional),
    number('exit', 'exitCode'),
    word('state', 'state', optional),
    date('started', 'startedAt', optional),
    word('shard', 'shard', optional),
    text('files', 'files', { inWords: baseNames, isOptional: true }),
    note('problems', 'outcomes', { inWords: problemsInWords }),
  ],
};

/** `2 rejected, 1 unknown`; empty if all records of a run succeeded. */
function problemsInWords(outcomes: Json | undefined): string {
  const { rejected, failed, unknown } = isJsonObject(outcomes) ? outcomes : {};
  return countsInWords({
    rejected: Number(rejected ?? 0),
    failed: Number(failed ?? 0),
    unknown: Number(unknown ?? 0),
  });
}

/** The names that distinguish files within a table: `orders.csv, more.csv`. */
function baseNames(files: Json | undefined): string {
  return Array.isArray(files) ? files.map((file) => basename(textOf(file))).join(', ') : textOf(files);
}

/** A job in the journal. */
export const storedJobView: View = {
  noun: 'job',
  id: 'jobId',
  csvColumns: ['jobId', 'state', 'kind', 'originId', 'objectId', 'failureReason', 'run'],
  columns: [
    word('job', 'jobId'),
    word('state'),
    word('origin id', 'originId'),
    word('object', 'objectId', optional),
    note('failure', 'failureReason'),
    word('run', 'run', optional),
  ],
};
