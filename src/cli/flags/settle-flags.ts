import * as z from 'zod';
import { parseMoney } from '../../base/money.ts';
import { groupFlags, integerValue, switchFlag, valueFlag, wordValue } from './flags.ts';
import { connectionFlags } from './shared-flags.ts';

const text = z.string().min(1).optional();

/** An exact amount of zero or more, as text or as the number of a settings file. */
const moneyValue = z.union([z.string(), z.number().transform(String)]).transform((written, context) => {
  const amount = parseMoney(written);
  if (amount !== undefined && amount >= 0n) return amount;
  context.addIssue({ code: 'custom', message: 'expected an amount such as 5000 or 12.5' });
  return z.NEVER;
});
const money = moneyValue.optional();
const count = integerValue(0, Number.MAX_SAFE_INTEGER).optional();

/** Of every command that opens the ledger. */
export const ledgerFlags = groupFlags('Ledger', {
  ledger: valueFlag(text, {
    value: 'FILE',
    help: 'the ledger (default: ledger.db of the profile and service)',
  }),
  shop: valueFlag(text, { value: 'NAME', help: 'the shop the ledger must be of (default: any)' }),
  credentialChanged: switchFlag({ help: 'accept a new credential for the same shop' }),
});

/** What limits payments. */
export const capFlags = groupFlags('Caps', {
  maxPerReward: valueFlag(money, { value: 'AMOUNT', help: 'hold every reward above it' }),
  maxPerMember: valueFlag(money, {
    value: 'AMOUNT',
    help: 'at most so much for one member on one Korean day',
  }),
  maxAmountPerDay: valueFlag(money, {
    value: 'AMOUNT',
    help: 'at most so much on one Korean day, whoever pays from this ledger',
  }),
});

/** What limits one run. */
export const runCapFlags = groupFlags('Caps', {
  maxAmount: valueFlag(money, { value: 'AMOUNT', help: 'at most so much in this run' }),
  maxCount: valueFlag(count, { value: 'N', help: 'at most so many rewards in this run' }),
  expectTotal: valueFlag(money, {
    value: 'AMOUNT',
    help: 'pay nothing unless exactly so much is to be paid',
  }),
  expectCount: valueFlag(count, { value: 'N', help: 'pay nothing unless exactly so many are to be paid' }),
  failOnHeld: switchFlag({
    help: 'end with 6 where policy holds a reward, or a results file is not imported yet',
  }),
});

/** Who has to have planned what is paid. */
const planOwner = groupFlags('Plan', {
  planOwner: valueFlag(text, {
    value: 'USER',
    help: 'pay plans alone whose file belongs to this user of the machine and is writable by nobody else',
  }),
});

/** How rewards are paid and told, whoever sets it going. */
export const settleFlags = {
  ...groupFlags('Run', {
    concurrency: valueFlag(integerValue(1, 64).default(8), {
      value: 'N',
      help: 'rewards paid at once (default 8); of one reward always one call at a time',
    }),
    refusedStatus: valueFlag(wordValue(['CANCELLED', 'FAILURE']).default('CANCELLED'), {
      value: 'STATUS',
      help: 'what the service is told of a refused reward: CANCELLED or FAILURE (default CANCELLED)',
    }),
  }),
  ...ledgerFlags,
  ...planOwner,
  ...capFlags,
  ...connectionFlags,
};
