import { basename } from 'node:path';
import { isJsonObject, type Json } from '../../base/json.ts';
import { outcomeWords } from '../../push/steps/outcome.ts';
import { countsInWords } from '../terminal/totals.ts';
import { textOf } from './fields.ts';
import type { View } from './view.ts';

/** A run on record. */
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
    { header: 'run', path: 'run', kind: 'word' },
    { header: 'kind', path: 'kind', kind: 'word' },
    { header: 'records', path: 'records', kind: 'amount', isOptional: true },
    { header: 'exit', path: 'exitCode', kind: 'number' },
    { header: 'state', path: 'state', kind: 'word', isOptional: true },
    { header: 'started', path: 'startedAt', kind: 'date', isOptional: true },
    { header: 'shard', path: 'shard', kind: 'word', isOptional: true },
    { header: 'files', path: 'files', kind: 'text', inWords: baseNames, isOptional: true },
    { header: 'problems', path: 'outcomes', kind: 'note', inWords: problemsInWords },
  ],
};

/** `2 rejected, 1 unknown`; nothing if all records of a run succeeded. */
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

/** A job as the journal knows it. */
export const storedJobView: View = {
  noun: 'job',
  id: 'jobId',
  csvColumns: ['jobId', 'state', 'kind', 'originId', 'objectId', 'failureReason', 'run'],
  columns: [
    { header: 'job', path: 'jobId', kind: 'word' },
    { header: 'state', path: 'state', kind: 'word' },
    { header: 'origin id', path: 'originId', kind: 'word' },
    { header: 'object', path: 'objectId', kind: 'word', isOptional: true },
    { header: 'failure', path: 'failureReason', kind: 'note' },
    { header: 'run', path: 'run', kind: 'word', isOptional: true },
  ],
};
