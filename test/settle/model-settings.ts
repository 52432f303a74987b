import { amounts, type Setting, tickMs } from './model-state.ts';

/** A payer without keys, with a poller, a webhook and a person. */
const plain: Setting = {
  name: 'a payer without keys, a poller, a webhook and a person',
  capabilities: { name: 'payer', idempotentForMs: null, replaysResponse: false, lookupDelayMs: 2 * tickMs },
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
  isRestored: false,
  second: 'none',
  hasBatch: false,
  poisoned: 0,
  changesAmount: false,
  capPerDay: amounts.changed,
  capPerRun: null,
  ticks: 1,
  crashes: 1,
  attempts: 1,
};

const pollers: Setting = { ...plain, pollers: 2, webhooks: 0, hasOperator: false, crashes: 0, attempts: 2 };
const keyed = { ...plain.capabilities, idempotentForMs: 2 * tickMs };

/** Each as large as the time of `npm test` permits; `enlarged` extends them. */
export const settings = {
  plain,
  plainPollers: { ...pollers, name: 'a payer without keys and two pollers' },
  changing: {
    ...plain,
    name: 'a service that changes the amount',
    webhooks: 0,
    changesAmount: true,
    attempts: 2,
  },
  keyed: { ...pollers, name: 'a payer that honours keys and two pollers', capabilities: keyed },
  keyedWebhook: {
    ...plain,
    name: 'a payer that honours keys, a poller and a webhook',
    capabilities: keyed,
    hasOperator: false,
    crashes: 0,
    attempts: 2,
  },
  forgetting: {
    ...plain,
    name: 'a payer that honours keys until it forgets them',
    capabilities: keyed,
    webhooks: 0,
    ticks: 2,
    attempts: 2,
  },
  repeating: {
    ...pollers,
    name: 'a payer that repeats its answers',
    capabilities: { ...keyed, replaysResponse: true },
  },
  longLease: {
    ...pollers,
    name: 'claims that outlive the tick they were made in',
    capabilities: keyed,
    leaseTicks: 2,
    pollers: 1,
    ticks: 3,
    attempts: 3,
  },
  refusing: {
    ...pollers,
    name: 'a payer that honours keys for longer than its books take to show a payment',
    capabilities: { ...keyed, idempotentForMs: 4 * tickMs, lookupDelayMs: tickMs },
    pollers: 1,
    ticks: 3,
    crashes: 1,
    attempts: 3,
  },
  evidence: { ...pollers, name: 'a program as payer, which leaves its answer behind', leavesEvidence: true },
  lookup: {
    ...plain,
    name: 'a payer whose books can be read',
    hasLookup: true,
    webhooks: 0,
    ticks: 3,
    crashes: 0,
    attempts: 2,
  },
  lateLookup: {
    ...pollers,
    name: 'a payer whose books can be read, and claims that outlive their tick',
    hasLookup: true,
    leaseTicks: 2,
    pollers: 1,
    ticks: 4,
    crashes: 1,
  },
  suspended: {
    ...pollers,
    name: 'one machine, where a process is suspended as it is about to call',
    isOwnerKnown: true,
    isSuspendedBeforeCall: true,
    hasOperator: true,
    crashes: 1,
    attempts: 1,
  },
  frozen: {
    ...plain,
    name: 'a ledger that is frozen at times',
    isFrozenAtTimes: true,
    webhooks: 0,
    attempts: 2,
  },
  restored: {
    ...plain,
    name: 'a ledger that a person restores from its first backup',
    isRestored: true,
    webhooks: 0,
    crashes: 0,
    attempts: 2,
  },
  restoredBesideWebhook: {
    ...plain,
    name: 'a ledger that a person restores from its first backup, and a webhook',
    isRestored: true,
    hasOperator: false,
    crashes: 0,
    attempts: 2,
  },
  copied: {
    ...pollers,
    name: 'a ledger and a copy of it, which two pollers settle by at the same time',
    second: 'copy',
  },
  movedAway: {
    ...pollers,
    name: 'a ledger that a person copies to another machine and moves there later',
    second: 'elsewhere',
  },
  otherAddress: {
    ...pollers,
    name: 'one service known by two addresses',
    second: 'other-address',
    attempts: 1,
  },
  batch: {
    ...pollers,
    name: 'a batch of two rewards, and a person who sorts a column of its results',
    hasBatch: true,
    rewards: 2,
    pollers: 1,
    ticks: 0,
    attempts: 1,
  },
  poisoned: {
    ...pollers,
    name: 'three rewards that the payer never answers for, before one that it pays',
    capabilities: { ...keyed, idempotentForMs: 100 * tickMs },
    isOwnerKnown: true,
    rewards: 4,
    poisoned: 3,
    pollers: 1,
    capPerDay: 1_000_000_000n,
    ticks: 0,
    attempts: 1,
  },
  capped: {
    ...pollers,
    name: 'two rewards under a cap for one a day',
    capPerDay: amounts.first,
    rewards: 2,
    ticks: 0,
    attempts: 1,
  },
  cappedRun: {
    ...pollers,
    name: 'two rewards under a cap for one a run, and a payer that honours keys',
    capabilities: keyed,
    isOwnerKnown: true,
    capPerRun: amounts.first,
    rewards: 2,
    pollers: 1,
    ticks: 0,
    crashes: 1,
  },
} as const satisfies Record<string, Setting>;

/** Beyond the protocol's power: no check of the ledger can be the very last step before a call. */
export const beyondHelp = {
  ...settings.suspended,
  name: 'several machines, where a process is suspended as it is about to call',
  isOwnerKnown: false,
  hasOperator: false,
  attempts: 2,
} as const satisfies Setting;

/** The same setting with more kills and time, and with a person. */
export function enlarged(setting: Setting): Setting {
  return { ...setting, crashes: setting.crashes + 1, ticks: setting.ticks + 1, hasOperator: true };
}
