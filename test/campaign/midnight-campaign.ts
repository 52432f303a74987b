import { spawnSync } from 'node:child_process';
import { systemClock } from '../../src/base/clock.ts';
import { seededRandom } from '../../src/base/random.ts';
import { koreanDay } from '../../src/settle/rules/policy.ts';
import { openSqliteLedger } from '../../src/store/ledger/ledger-file.ts';
import { addFigures } from './figures.ts';
import { openSettlePlace, type SettlePlace } from './settle-place.ts';

export interface MidnightReport {
  /** The payments of each day. */
  readonly days: readonly string[];
  readonly broken: readonly string[];
}

/** A past midnight in Korea, and the maximum time before it at which a round starts. Clocks run at normal speed. */
const midnightMs = Date.parse('2026-02-01T15:00:00Z');
const longestMs = 6_000;
/** Low enough to be reached on the first day. */
const dayCap = '3000';
const rewards = 24;
const payerDelayMs = 150;

/** The library that `faketime` preloads; undefined if it is not installed. */
export function faketimeLibrary(): string | undefined {
  const { stdout, status } = spawnSync('faketime', ['-f', '+0s', 'printenv', 'LD_PRELOAD'], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * Settles under `faketime` across a midnight in Korea, is killed somewhere, and continues. The checker's sums must
 * respect the caps of each day, and the ledger must verify.
 */
export async function midnightRound(seed: number, library: string): Promise<MidnightReport> {
  const random = seededRandom(seed);
  const isIdempotent = seed % 2 === 0;
  const flags = ['-c', 'concurrency=2', '-c', `max-amount-per-day=${dayCap}`];
  const place = await openSettlePlace({
    seed,
    isIdempotent,
    products: 10,
    orders: 40,
    reviews: rewards,
    flags,
  });
  try {
    const offsetMs = midnightMs - random() * longestMs - Date.now();
    const env = {
      LD_PRELOAD: library,
      FAKETIME: `${(offsetMs / 1_000).toFixed(3)}s`,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      PAYER_DELAY_MS: `${payerDelayMs}`,
    };
    const killed: number[] = [];
    const settler = place.start(['rewards', 'settle', '-o', 'none'], { env });
    await systemClock.sleep(random() * 2 * longestMs);
    if (settler.child.kill('SIGKILL') && settler.child.pid !== undefined) killed.push(settler.child.pid);
    await settler.ended;
    await systemClock.sleep(Math.max(0, midnightMs - (Date.now() + offsetMs)));
    await place.settleAlone({ env });
    const broken = await place.judge({ isClockSteady: false, killed, maxPerDay: dayCap });
    addFigures('midnight', { kills: killed.length, violations: broken.length });
    return { days: await paidByDay(place), broken };
  } finally {
    await place.close();
  }
}

async function paidByDay(place: SettlePlace): Promise<readonly string[]> {
  const ledger = await openSqliteLedger(place.ledgerPath(), { clock: systemClock });
  const days = await ledger.budgets('day ');
  await ledger.close();
  const wanted = [midnightMs - 1, midnightMs].map((ms) => `day ${koreanDay(ms)}`);
  return days
    .filter(({ scope, spentCount }) => wanted.includes(scope) && spentCount > 0)
    .map(({ scope }) => scope);
}
