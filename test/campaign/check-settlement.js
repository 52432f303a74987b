import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { violationsOf } from './settlement-rules.js';

/*
 * Judges settlements by what others wrote down of them, and knows nothing of the program: in each FOLDER the log of the payer, that
 * of the service and that of the ledger. Prints each broken promise in words, and exits 1 where there is one.
 *
 *   payer.ndjson    CALL, EFFECT and ANSWER of {key, reward, amount, member, pid, at}; OVERLAP where an earlier call for the reward lives
 *   service.ndjson  PATCH {reward, status} as it came in; STATUS {reward, status, amount} as it changed; ANSWER {reward, status,
 *                   message} to a webhook
 *   ledger.ndjson   EVENT as the ledger has it, in order; RUN {exitCode} of a run that was alone, after its last event; BUDGET; WRONG
 *                   {message} for whatever the ledger itself finds wrong, or that keeps it from being opened; RESTORED {seq, unfrozenSeq}
 *                   where a backup that ends with this event took its place, and the last event before it was unfrozen, if not the
 *                   same; then LOST for each event that the lost one had written since;
 *                   LEFT for each event of a ledger that was moved away, where processes may still note what they had begun
 */

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    /** The payer honours keys; nothing may stay unknown. */
    idempotent: { type: 'boolean', default: false },
    /** What the payer said can be read after a kill. */
    evidence: { type: 'boolean', default: false },
    /** All processes went by one clock that never jumped, so times may be compared. */
    'steady-clock': { type: 'boolean', default: false },
    /** There are several machines, which do not see each other's payer programs. */
    machines: { type: 'boolean', default: false },
    /** Owners that were killed, by name or process id. */
    killed: { type: 'string', default: '' },
    /** Rewards for which the payer never gives an answer. */
    poisoned: { type: 'string', default: '' },
    'max-per-run': { type: 'string' },
    'max-per-day': { type: 'string' },
    'max-per-member': { type: 'string' },
  },
});

const judgement = {
  isIdempotent: options.idempotent,
  hasEvidence: options.evidence,
  isClockSteady: options['steady-clock'],
  areMachines: options.machines,
  killed: options.killed.split(',').filter(Boolean),
  poisoned: options.poisoned.split(',').filter(Boolean),
  maxPerRun: options['max-per-run'],
  maxPerDay: options['max-per-day'],
  maxPerMember: options['max-per-member'],
};

function readLogs(folder) {
  return {
    payer: readLines(folder, 'payer'),
    service: readLines(folder, 'service'),
    ledger: readLines(folder, 'ledger'),
  };
}

function readLines(folder, name) {
  const text = readFileSync(join(folder, `${name}.ndjson`), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const broken = folders.flatMap((folder) =>
  violationsOf(readLogs(folder), judgement).map((violation) =>
    folders.length > 1 ? `${folder}: ${violation}` : violation,
  ),
);
for (const violation of broken) console.log(violation);
process.exitCode = broken.length > 0 ? 1 : 0;
