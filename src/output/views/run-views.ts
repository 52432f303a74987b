import { basename } from 'node:path';
import type { Json } from '../../base/json.ts';
import { outcomeWords } from '../../push/steps/outcome.ts';
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
    { header: 'started', path: 'startedAt', kind: 'date' },
    { header: 'state', path: 'state', kind: 'word' },
    { header: 'exit', path: 'exitCode', kind: 'number' },
    { header: 'shard', path: 'shard', kind: 'word', isOptional: true },
    { header: 'rejected', path: 'outcomes.rejected', kind: 'number' },
    { header: 'failed', path: 'outcomes.failed', kind: 'number' },
    { header: 'unknown', path: 'outcomes.unknown', kind: 'number' },
    { header: 'files', path: 'files', kind: 'text', inWords: baseNames, isOptional: true },
  ],
};

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
    { header: 'failure', path: 'failureReason', kind: 'text', width: 20 },
    { header: 'run', path: 'run', kind: 'word', isOptional: true },
  ],
};
