import * as z from 'zod';
import { parseMoney } from '../../base/money.ts';
import {
  defaultFlag,
  groupFlags,
  integerValue,
  settings,
  switchFlag,
  textFlag,
  textOrNumber,
  timeLimitValue,
  valueFlag,
  wordValue,
} from './flags.ts';
import { askFlags, connectionFlags, stateFlags } from './shared-flags.ts';

/** An exact amount of zero or more, as text or as a number in a settings file. */
const money = () =>
  textOrNumber().transform((written, context) => {
    const amount = parseMoney(written);
    if (amount !== undefined && amount >= 0n) return amount;
    context.addIssue({ code: 'custom', message: 'expected an amount such as 5000 or 12.5' });
    return z.NEVER;
  });
const count = integerValue(0, Number.MAX_SAFE_INTEGER);

/** Flags of commands that open the ledger. */
export const ledgerFlags = settings('State', {
  ledger: textFlag('FILE', 'the ledger (default: ledger.db of the profile and service)'),
  ledgerAnywhere: switchFlag('accept a ledger on tmpfs, a network file system or the layer of a container'),
  state: stateFlags.state,
  statePasswordFile: stateFlags.statePasswordFile,
  shop: textFlag('NAME', 'permanent name of the shop, part of payment keys (default: the profile)'),
});

/** Limits of payments. */
export const capFlags = settings('Paying', {
  maxPerReward: valueFlag(money, 'AMOUNT', 'hold every reward above this amount'),
  maxPerMember: valueFlag(money, 'AMOUNT', 'spending cap per member and Korean day'),
  maxAmountPerDay: valueFlag(money, 'AMOUNT', 'spending cap per Korean day, across all runs of this ledger'),
});

/** Limits of one run. */
export const runCapFlags = {
  ...groupFlags('Caps', {
    maxAmount: valueFlag(money, 'AMOUNT', 'spending cap of this run'),
    maxCount: valueFlag(count, 'N', 'maximum number of rewards paid by this run'),
    expectTotal: valueFlag(money, 'AMOUNT', 'abort unless the total is exactly AMOUNT'),
    expectCount: valueFlag(count, 'N', 'abort unless exactly N rewards are to be paid'),
  }),
  ...settings('Paying', {
    failOnHeld: switchFlag('exit with 6 if policy holds a reward, or a results file is not imported yet'),
  }),
};

/** The required owner of a plan. */
const planOwner = settings('Paying', {
  planOwner: textFlag(
    'USER',
    'only pay plans whose file is owned by this system user and writable by no one else',
  ),
});

/** Flags of commands that call a payer themselves, possibly beside other machines that share the ledger. */
export const callFlags = settings('Paying', {
  claimLease: defaultFlag(
    timeLimitValue,
    15_000,
    'DURATION',
    'how long after its claim a payment may be sent; after that it is claimed again (default 15s)',
  ),
});

/** Flags of every kind of settlement. */
export const settleFlags = {
  ...settings('Connection', {
    concurrency: defaultFlag(
      integerValue(1, 64),
      8,
      'N',
      'rewards paid concurrently (default 8), one call at a time for each',
    ),
  }),
  ...settings('Paying', {
    refusedStatus: defaultFlag(
      wordValue(['CANCELLED', 'FAILURE']),
      'CANCELLED',
      'STATUS',
      'status reported for a refused reward: CANCELLED or FAILURE (default CANCELLED)',
    ),
  }),
  ...ledgerFlags,
  ...planOwner,
  ...capFlags,
  ...connectionFlags,
  ...askFlags,
};

/** Flags that write or execute a plan: typed with each call, never a setting. */
export const planFlags = groupFlags('Plan', {
  planOut: textFlag('FILE', 'write the plan to this new file; pay nothing'),
  plan: textFlag('FILE', 'carry out exactly this plan, once'),
});
