import { amounts, type Setting, tickMs } from './model-state.ts';

/** Two pollers or one with a webhook or a person, and a payer that honours no keys. */
const plain: Setting = {
  name: 'a payer without keys, a poller, a webhook and a person',
  traits: { name: 'payer', idempotentForMs: null, repeatsAnswers: false, quietMs: 2 * tickMs },
  leavesEvidence: false,
  hasLookup: false,
  isOwnerKnown: false,
  isSuspendedBeforeCall: false,
  leaseTicks: 1,
  rewards: 1,
  pollers: 1,
  webhooks: 1,
  hasOperator: true,
  isFrozenAtTimes: false,
  changesAmount: false,
  capPerDay: amounts.changed,
  ticks: 1,
  crashes: 1,
  attempts: 2,
};

const keyed = { ...plain.traits, idempotentForMs: 2 * tickMs };

/** Each as large as a test may be; `enlarged` makes them as large as a machine may bear. */
export const settings = {
  plain,
  plainPollers: {
    ...plain,
    name: 'a payer without keys and two pollers',
    pollers: 2,
    webhooks: 0,
    changesAmount: true,
  },
  keyed: { ...plain, name: 'a payer that honours keys', traits: keyed, pollers: 2, webhooks: 0 },
  keyedWebhook: {
    ...plain,
    name: 'a payer that honours keys, a webhook and time to forget them',
    traits: keyed,
    hasOperator: false,
    ticks: 2,
    crashes: 0,
  },
  repeating: {
    ...plain,
    name: 'a payer that repeats its answers',
    traits: { ...keyed, repeatsAnswers: true },
    hasOperator: false,
  },
  longLease: {
    ...plain,
    name: 'claims that outlive the tick they were made in',
    traits: keyed,
    leaseTicks: 2,
    pollers: 1,
    webhooks: 0,
    ticks: 3,
    attempts: 3,
  },
  evidence: {
    ...plain,
    name: 'a program as payer, which leaves its answer behind',
    leavesEvidence: true,
    webhooks: 0,
    pollers: 2,
  },
  lookup: {
    ...plain,
    name: 'a payer whose books can be read',
    hasLookup: true,
    hasOperator: false,
    webhooks: 0,
    pollers: 2,
    ticks: 3,
    crashes: 0,
  },
  suspended: {
    ...plain,
    name: 'one machine, where a process is suspended as it is about to call',
    isOwnerKnown: true,
    isSuspendedBeforeCall: true,
    webhooks: 0,
    pollers: 2,
  },
  frozen: { ...plain, name: 'a ledger that is frozen at times', isFrozenAtTimes: true, webhooks: 0 },
  capped: {
    ...plain,
    name: 'two rewards under a cap for one a day',
    capPerDay: amounts.first,
    rewards: 2,
    pollers: 2,
    webhooks: 0,
    hasOperator: false,
    crashes: 0,
    ticks: 1,
    attempts: 1,
  },
} as const satisfies Record<string, Setting>;

/** The same, with more kills, calls and time. */
export function enlarged(setting: Setting): Setting {
  const { crashes, ticks } = setting;
  return { ...setting, crashes: crashes + 1, ticks: ticks + 1, hasOperator: true };
}
