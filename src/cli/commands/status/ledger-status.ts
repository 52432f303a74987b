import { type HintText, hint, reviewctl } from '../../../base/hint.ts';
import { type Money, moneyOfJson } from '../../../base/money.ts';
import { counted, groupedMoney } from '../../../output/terminal/totals.ts';
import { ageInWords } from '../../../output/views/duration-in-words.ts';
import { checkRestored } from '../../../settle/manual/check-restored.ts';
import { type LedgerStatus, ledgerStatus, leftBehind } from '../../../settle/manual/ledger-status.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import type { Standing } from '../../../store/ledger/ledger-standing.ts';
import type { LedgerInUse } from '../ledger/offline-ledger.ts';
import { faultLine, type StatusLine, settleJob } from './status-line.ts';

const settlement = 'rewards settle';

interface LedgerGround {
  readonly standing: Standing;
  readonly cap: Money | undefined;
  readonly isOwnerAlive: LedgerInUse['isOwnerAlive'];
  readonly nowMs: number;
}

/** Lists the issues of the ledger that need a person, and the use of today's cap. */
export async function ledgerLines(
  ledger: Ledger,
  { standing, cap, isOwnerAlive, nowMs }: LedgerGround,
  successes: Map<string, number>,
): Promise<readonly StatusLine[]> {
  const status = await ledgerStatus(ledger, nowMs);
  const left = await leftBehind(ledger, isOwnerAlive);
  return [
    ...standingLines(standing),
    await settlementsLine(ledger, successes),
    ...personLines(status, left.length),
    ...(await frozenLines(ledger, status)),
    todayLine(status, cap),
  ];
}

async function settlementsLine(ledger: Ledger, successes: Map<string, number>): Promise<StatusLine> {
  const about = 'settlements';
  const success = await ledger.lastRun(settlement, 'successful');
  const last = await ledger.lastRun(settlement, 'any');
  const isNewest = last === undefined || last.atMs <= (success?.atMs ?? Number.NEGATIVE_INFINITY);
  const lastMs = success?.succeededAtMs ?? undefined;
  if (lastMs === undefined) {
    const message = isNewest ? 'none yet' : `none has succeeded yet; the last is run ${last.run}`;
    return { about, status: 'info', message };
  }
  successes.set(settleJob, lastMs);
  const message = isNewest ? 'succeeded' : `succeeded; run ${last.run} after it has not succeeded yet`;
  return { about, status: 'info', message, lastMs };
}

function standingLines(standing: Standing): readonly StatusLine[] {
  if (standing.kind === 'current') return [];
  const { message, nextStep } = standing.failure;
  return [{ about: 'ledger', status: 'person', message, next: nextStep }];
}

/** The line of a frozen ledger; for a restored one, with the steps before it may be used. */
async function frozenLines(ledger: Ledger, { frozen }: LedgerStatus): Promise<readonly StatusLine[]> {
  if (frozen === null) return [];
  try {
    await checkRestored(ledger, { isWithoutStatement: false });
  } catch (error) {
    return [faultLine('ledger', error)];
  }
  return [person('ledger', `frozen: ${frozen}`, reviewctl`ledger unfreeze`)];
}

/** `left` is the number of payments that processes left behind when they ended. */
function personLines(status: LedgerStatus, left: number): readonly StatusLine[] {
  const { batches, oldestUnknown, states, unpaidNotQueued: gone } = status;
  const unknown = left + countOf(states, ({ payment }) => payment === 'unknown');
  const conflicts = countOf(states, ({ report }) => report === 'conflict');
  const decided = ({ payment }: State) => payment === 'paid' || payment === 'refused';
  const unreported = countOf(states, (state) => decided(state) && ['pending', 'sent'].includes(state.report));
  const oldest = oldestUnknown === null ? '' : `, the oldest for ${ageInWords(oldestUnknown)}`;
  const lines = [
    unknown > 0 &&
      person(
        'payments',
        `${counted(unknown, 'payment')} may or may not be made${oldest}`,
        reviewctl`ledger list --payment unknown`,
      ),
    gone.count > 0 &&
      person(
        'rewards',
        `${counted(gone.count, 'reward')} waiting here, but no longer listed`,
        reviewctl`ledger reconcile`,
      ),
    conflicts > 0 &&
      person(
        'reports',
        `${counted(conflicts, 'reward')} differ at the service`,
        reviewctl`ledger list --report conflict`,
      ),
    unreported > 0 &&
      person(
        'reports',
        `${counted(unreported, 'outcome')} not confirmed by the service`,
        reviewctl`rewards settle`,
      ),
    ...batches.map(({ batch, count }) =>
      person(
        'payments',
        `${counted(count, 'reward')} out in ${batch}`,
        hint`${reviewctl`rewards import FILE`}, with its outcomes`,
      ),
    ),
  ];
  return lines.filter((line) => line !== false);
}

type State = LedgerStatus['states'][number];

function countOf(states: readonly State[], isCounted: (state: State) => boolean): number {
  return states.filter(isCounted).reduce((sum, { count }) => sum + count, 0);
}

function person(about: string, message: string, next: HintText): StatusLine {
  return { about, status: 'person', message, next };
}

function todayLine({ today: { day, spent, reserved } }: LedgerStatus, cap: Money | undefined): StatusLine {
  const of = cap === undefined ? '' : ` of ${groupedMoney(cap)}`;
  const [paid, held] = [spent, reserved].map(({ amount }) => groupedMoney(moneyOfJson(amount)));
  return {
    about: 'today',
    status: 'info',
    message: `${paid} paid, ${held} reserved${of}, Korean day ${day}`,
  };
}
