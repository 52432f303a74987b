import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresLedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { stillClock } from './open-ledger-place.ts';

const program = bundled(`
  import { appendFileSync } from 'node:fs';
  import { ownerLocks } from './src/store/open-store.ts';
  import { anyServer, openPostgresLedger } from './src/store/ledger/ledger-server.ts';
  import { settleCourse } from './test/store/settle-course.ts';
  const { location, rewardIds, nowMs, calls, owner, cap } = JSON.parse(process.env.COURSE);
  const clock = { now: () => nowMs, monotonicMs: () => nowMs, sleep: async () => undefined };
  const owners = ownerLocks(location);
  const pay = (rewardId) => appendFileSync(calls, rewardId + '\\n');
  const caps = [{ scope: 'day', amount: cap === null ? null : BigInt(cap), count: null }];
  try {
    await owners.acquire(owner, 'rewards settle');
    const ledger = await openPostgresLedger(location, { clock, acceptSession: anyServer });
    await settleCourse(ledger, { owner, owners, rewardIds, caps, pay });
  } catch (error) {
    if (error.kind === undefined) throw error;
    console.log(JSON.stringify({ kind: error.kind, message: error.message, hint: String(error.hint) }));
  }
  process.exit();
`);

/** The payer of settlers that are processes: a file with one payment per line. */
export function makeCallsFile() {
  const path = join(temporaryFolder(), 'calls');
  writeFileSync(path, '');
  return { path, called: () => readFileSync(path, 'utf8').split('\n').slice(0, -1) };
}

interface SettlerStart {
  readonly owner: string;
  readonly rewardIds: readonly string[];
  readonly calls: ReturnType<typeof makeCallsFile>;
  /** The maximum total of all settlers' rewards; null for no limit. */
  readonly cap: bigint | null;
}

/** Why a ledger could not be used, as reported by a settler. */
export interface SettlerFailure {
  readonly kind: string;
  readonly message: string;
  readonly hint: string;
}

export type SettlerProcess = ReturnType<typeof startSettlerProcess>;

/**
 * A process that settles like the program. `ended` resolves with the failure of its ledger, if any; with null if it was
 * killed.
 */
export function startSettlerProcess(
  location: PostgresLedgerLocation,
  { calls, cap, ...start }: SettlerStart,
) {
  const amount = cap === null ? null : String(cap);
  const course = { ...start, location, calls: calls.path, cap: amount, nowMs: stillClock.now() };
  const child = spawn(process.execPath, ['--input-type=module', '-'], {
    env: { ...process.env, COURSE: JSON.stringify(course) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // Too long for an argument. A process may be killed before it has read it.
  child.stdin.on('error', () => undefined).end(program);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close').then(([exitCode]) => {
    if (exitCode === null) return null;
    if (exitCode !== 0) throw new Error(`a settler ended with ${exitCode}`);
    return said === '' ? undefined : (JSON.parse(said) as SettlerFailure);
  });
  return { child, ended };
}
