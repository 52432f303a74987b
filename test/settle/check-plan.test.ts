import { expect, it } from 'vitest';
import type { Failure } from '../../src/base/failure.ts';
import { checkPlan, planSubject } from '../../src/settle/flow/check-plan.ts';
import type { PlanSubject } from '../../src/settle/rules/plan-codec.ts';
import type { PlanRecord } from '../../src/store/ledger/ledger-plans.ts';
import { nowMs } from './entries.ts';
import { openSettlement } from './open-settlement.ts';
import { planOf } from './plan-of.ts';
import { scriptedPayer } from './scripted-payer.ts';

interface Found {
  readonly subject?: Partial<PlanSubject>;
  readonly ofLedger?: Partial<PlanSubject['ledger']>;
  readonly account?: string;
  readonly hasEvent?: boolean;
  readonly known?: Partial<PlanRecord>;
}

const parties = { origin: 'https://service.example', account: 'account' };
const begun: PlanRecord = { plan: 'plan', sha256: 's', run: 'first', beganAtMs: 0, endedAtMs: null };

/** The error for a plan of this settlement with these changes, in a ledger with this record of it. */
async function fault({ subject, ofLedger, account = 'account', hasEvent = true, known }: Found) {
  const { ledger, settlement } = await openSettlement({ reviews: 0 });
  const own = settlement(scriptedPayer({}));
  const now = await planSubject(own, parties);
  const plan = { ...planOf([]), subject: { ...now, ...subject, ledger: { ...now.ledger, ...ofLedger } } };
  const find = async () => (known === undefined ? undefined : { ...begun, ...known });
  const shown = { ...ledger, hasEvent: async () => hasEvent, plans: { ...ledger.plans, find } };
  const check = checkPlan(plan, { ...own, ledger: shown }, { ...parties, account });
  const failed = await check.then(() => undefined).catch((error: Failure) => error);
  return failed && { kind: failed.kind, message: failed.message, hint: String(failed.hint) };
}

const again = 'reviewctl rewards settle --plan-out FILE';
const restored = {
  kind: 'ledger',
  message: 'the ledger was restored since the plan p was made (at its event 0); nothing was paid',
  hint: `plan the rewards that wait now: ${again}`,
};
const other = (what: string, planned: string, now: string) => ({
  kind: 'guard',
  message: `the plan p was made for another ${what}: ${planned}, not ${now}; nothing was paid`,
  hint: `use the profile it was made with, or make a new plan: ${again}`,
});

it.each<[what: string, found: Found, failure: object | undefined]>([
  ['of this settlement', {}, undefined],
  ['that was begun before', { known: {} }, undefined],
  [
    'of another ledger',
    { ofLedger: { id: 'other' }, subject: { shop: 'there' } },
    {
      kind: 'ledger',
      message:
        "the plan p was made with another ledger, of the shop 'there' at https://service.example; " +
        "this one is of 'shop' at https://service.example",
      hint: 'use the profile of that shop, or name its ledger with the setting ledger',
    },
  ],
  ['of before the ledger was restored', { ofLedger: { acceptance: 'accepted' } }, restored],
  ['of after the place to which the ledger was set back', { hasEvent: false }, restored],
  [
    'of another service',
    { subject: { origin: 'https://there' } },
    other('service', 'https://there', parties.origin),
  ],
  ['of another payer', { subject: { payer: 'exec' } }, other('payer', 'exec', 'scripted')],
  ['of another account', { subject: { account: 'theirs' } }, other('account', 'theirs', 'account')],
  [
    'whose file was changed',
    { known: { sha256: 'other' } },
    {
      kind: 'guard',
      message: 'the plan p was changed: run first began another file of its id, plan; nothing was paid',
      hint: `continue with that file, or make a new plan: ${again}`,
    },
  ],
  [
    'that was carried out',
    { known: { endedAtMs: nowMs } },
    {
      kind: 'guard',
      message: 'the plan p was already carried out, and ended at 2026-01-01T14:59:00.000Z; a plan pays once',
      hint: `to see its results: reviewctl ledger list; to plan the remaining rewards: ${again}`,
    },
  ],
])('a plan %s is carried out only if it was made for that, and once', async (_, found, failure) => {
  expect(await fault(found)).toEqual(failure);
});
