import { Failure } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import type { PlanRecord } from '../../store/ledger/ledger-plans.ts';
import type { PaymentPlan, PlanSubject } from '../rules/plan-codec.ts';
import { isoTime } from './entry-record.ts';
import type { Settlement } from './settlement.ts';

/** The service of a settlement, and the account of its credential. */
export type PlanParties = Pick<PlanSubject, 'origin' | 'account'>;

/** The subject of a new plan. */
export async function planSubject(
  { ledger, payer }: Pick<Settlement, 'ledger' | 'payer'>,
  parties: PlanParties,
): Promise<PlanSubject> {
  const { ledgerId: id, shop } = ledger.identity;
  const { acceptance } = await ledger.meta();
  return {
    ...parties,
    shop,
    payer: payer.capabilities.name,
    ledger: { id, acceptance, ...(await ledger.lastEvent()) },
  };
}

/**
 * Checks that a plan may be carried out here and now. Differences of single rewards are checked in their turn. Nothing
 * is paid if this throws.
 * @throws Failure('ledger') for a plan of another ledger, or of this one before it was restored.
 * @throws Failure('guard') for a plan of another service, account or payer, or one carried out before.
 */
export async function checkPlan(
  plan: PaymentPlan,
  settlement: Pick<Settlement, 'ledger' | 'payer'>,
  parties: PlanParties,
): Promise<void> {
  await checkLedger(plan, settlement);
  const { ledger } = settlement;
  const now = await planSubject(settlement, parties);
  const isOfShop = (await ledger.meta()).accounts.includes(plan.subject.account);
  checkSame(plan, 'service', plan.subject.origin, now.origin);
  checkSame(plan, 'payer', plan.subject.payer, now.payer);
  if (!isOfShop) checkSame(plan, 'account', plan.subject.account, now.account);
  checkUnused(plan, await ledger.plans.find(plan.id));
}

async function checkLedger({ path, subject }: PaymentPlan, { ledger }: Pick<Settlement, 'ledger'>) {
  const { ledgerId, origin, shop } = ledger.identity;
  if (subject.ledger.id !== ledgerId) {
    throw new Failure(
      'ledger',
      `the plan ${path} was made with another ledger, of the shop '${subject.shop}' at ${subject.origin}; ` +
        `this one is of '${shop}' at ${origin}`,
      'use the profile of that shop, or name its ledger with the setting ledger',
    );
  }
  const isRestored = subject.ledger.acceptance !== (await ledger.meta()).acceptance;
  if (!isRestored && (await ledger.hasEvent(subject.ledger))) return;
  throw new Failure(
    'ledger',
    `the ledger was restored since the plan ${path} was made (at its event ${subject.ledger.seq}); nothing was paid`,
    hint`plan the rewards that wait now: ${reviewctl`rewards settle --plan-out FILE`}`,
  );
}

function checkSame({ path }: PaymentPlan, what: string, planned: string, now: string): void {
  if (planned === now) return;
  throw new Failure(
    'guard',
    `the plan ${path} was made for another ${what}: ${planned}, not ${now}; nothing was paid`,
    hint`use the profile it was made with, or make a new plan: ${reviewctl`rewards settle --plan-out FILE`}`,
  );
}

/** @throws Failure('guard') if the ledger has the plan as carried out, or another plan under its id. */
export function checkUnused({ path, id, sha256 }: PaymentPlan, known: PlanRecord | undefined): void {
  if (known !== undefined && known.sha256 !== sha256) {
    throw new Failure(
      'guard',
      `the plan ${path} was changed: run ${known.run} began another file of its id, ${id}; nothing was paid`,
      hint`continue with that file, or make a new plan: ${reviewctl`rewards settle --plan-out FILE`}`,
    );
  }
  if (known === undefined || known.endedAtMs === null) return;
  throw new Failure(
    'guard',
    `the plan ${path} was already carried out, and ended at ${isoTime(known.endedAtMs)}; a plan pays once`,
    hint`to see its results: ${reviewctl`ledger list`};
      to plan the remaining rewards: ${reviewctl`rewards settle --plan-out FILE`}`,
  );
}

/** The command that shows the payments that a plan would make now. */
export function planDryRun({ path }: PaymentPlan): HintText {
  return reviewctl`rewards settle --plan ${path} --dry-run`;
}
