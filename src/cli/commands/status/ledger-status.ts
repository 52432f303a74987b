import { type HintText, hint, reviewctl } from '../../../base/hint.ts';
import { type Money, moneyOfJson } from '../../../base/money.ts';
import { counted, groupedMoney } from '../../../output/terminal/totals.ts';
import { ageInWords } from '../../../output/views/duration-in-words.ts';
import { type LedgerStatus, ledgerStatus } from '../../../settle/manual/ledger-status.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import type { Standing } from '../../../store/ledger/ledger-standing.ts';
import { type StatusLine, settleJob } from './status-line.ts';

const settlement = 'rewards settle';

/** Lists what in the ledger needs a person, and how much of today's cap is used. */
export async function ledgerLines(
  ledger: Ledger,
  { standing, cap, nowMs }: { standing: Standing; cap: Money | undefined; nowMs: number },
  successes: Map<string, number>,
): Promise<readonly StatusLine[]> {
  const status = await ledgerStatus(ledger, nowMs);
  return [
    ...standingLines(standing),
    await settlementsLine(ledger, successes),
    ...personLines(status),
    todayLine(status, cap),
  ];
}

async function settlementsLine(ledger: Ledger, successes: Map<string, number>): Promise<StatusLine> {
  const about = 'settlements';
  const success = await ledger.lastSuccess(settlement);
  const last = (await ledger.runs(50)).find(({ command }) => command === settlement);
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

function personLines(status: LedgerStatus): readonly StatusLine[] {
  const { batches, frozen, oldestUnknown, restoration, states, unpaidNotQueued: gone } = status;
  const unknown = countOf(states, ({ payment }) => payment === 'unknown');
  const conflicts = countOf(states, ({ report }) => report === 'conflict');
  const decided = ({ payment }: State) => payment === 'paid' || payment === 'refused';
  const unreported = countOf(states, (state) => decided(state) && ['pending', 'sent'].includes(state.report));
  const isRestored = restoration?.comparedAt === null;
  const lines = [
    oldestUnknown !== null &&
      person(
        'payments',
        `${counted(unknown, 'payment')} may or may not be made, the oldest for ${ageInWords(oldestUnknown)}`,
        reviewctl`ledger list --payment unknown`,
      ),
    frozen !== null && !isRestored && person('ledger', `frozen: ${frozen}`, reviewctl`ledger unfreeze`),
    isRestored &&
      person(
        'ledger',
        'restored, and not compared with the payer yet',
        reviewctl`ledger reconcile --payer-statement FILE --statement-end now`,
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
