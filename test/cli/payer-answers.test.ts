import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveHttp } from '../client/loopback.ts';
import { type LedgerShop, openLedgerShop, records } from './ledger-shop.ts';

/** Prints the file `said`, then ends as the file `end` says. */
const sayingPayer = `#!/bin/sh
cd "\${0%/*}"
read -r call
sed "s/@KEY@/$REVIEWCTL_PAYMENT_KEY/" said
. ./end
`;

/** What a payer answers: its end or its status, and its last line or body, in which `@KEY@` is the key of the payment. */
interface Answer {
  readonly end: string;
  readonly text: string;
}

/** A shop whose payer gives one answer at a time. */
interface AnsweringShop {
  readonly shop: LedgerShop;
  readonly payer: readonly string[];
  readonly rewards: readonly string[];
  readonly amounts: ReadonlyMap<string, number>;
  /** Pays one reward, whose payer answers this; returns its record and the exit code. */
  readonly pay: (rewardId: string, answer: Answer) => Promise<PaidReward>;
}

interface PaidReward {
  readonly exitCode: number | null;
  readonly record: Readonly<Record<string, unknown>>;
}

async function openShop(reviews: number): Promise<LedgerShop> {
  const shop = await openLedgerShop({ reviews });
  expect((await shop.run(['ledger', 'init'])).exitCode).toBe(0);
  return shop;
}

function amountsOf({ served }: LedgerShop): ReadonlyMap<string, number> {
  return served.sandbox.transact(
    ({ state }) => new Map([...state.rewards.values()].map(({ id, amount }) => [id, amount])),
  );
}

async function payOne(shop: LedgerShop, payer: readonly string[], rewardId: string): Promise<PaidReward> {
  const { exitCode, stdout } = await shop.run(['rewards', 'trigger', rewardId, ...payer]);
  return { exitCode, record: records(stdout)[0] ?? {} };
}

async function openProgramShop(reviews = 14): Promise<AnsweringShop> {
  const shop = await openShop(reviews);
  shop.write('pay.sh', sayingPayer);
  const payer = ['--payer', 'exec', '--payer-command', join(shop.folder, 'pay.sh')];
  return {
    shop,
    payer,
    rewards: await shop.memberRewards(),
    amounts: amountsOf(shop),
    pay: (rewardId, { end, text }) => {
      shop.write('said', text === '' ? '' : `${text}\n`);
      shop.write('end', end);
      return payOne(shop, payer, rewardId);
    },
  };
}

async function openServiceShop(reviews = 14, more: readonly string[] = []): Promise<AnsweringShop> {
  const shop = await openShop(reviews);
  let answer: Answer = { end: '500', text: '' };
  const { url } = await serveHttp(({ headers }, outgoing) => {
    outgoing
      .writeHead(Number(answer.end))
      .end(answer.text.replace('@KEY@', String(headers['idempotency-key'])));
  });
  const payer = ['--payer', 'http', '--payer-url', url, ...more];
  return {
    shop,
    payer,
    rewards: await shop.memberRewards(),
    amounts: amountsOf(shop),
    pay: (rewardId, next) => {
      answer = next;
      return payOne(shop, payer, rewardId);
    },
  };
}

const paid = 'paid, exit 0';
const refused = 'refused, exit 6';
const later = 'open, exit 5';
const unknown = 'unknown, exit 11';
const rejected = 'open, exit 2';

const says = {
  nothing: '',
  'a word': 'OK',
  'JSON without an outcome': '{"done":true}',
  paid: '{"outcome":"paid"}',
  refused: '{"outcome":"refused"}',
  retry: '{"outcome":"retry"}',
  'another outcome': '{"outcome":"ok"}',
} as const;

const meaningOf = ({ record, exitCode }: PaidReward) => `${String(record['outcome'])}, exit ${exitCode}`;

/** Pays one reward for each thing that a payer may say, and returns what became of them. */
async function meaningsOf({ rewards, pay }: AnsweringShop, end: string) {
  const meanings: string[] = [];
  for (const [index, text] of Object.values(says).entries()) {
    meanings.push(meaningOf(await pay(rewards[index] ?? '', { end, text })));
  }
  return meanings;
}

const named = (meanings: readonly string[]) =>
  Object.fromEntries(Object.keys(says).map((name, index) => [name, meanings[index]]));

describe('what an answer means', () => {
  it.each([
    ['exit code 0', 'exit 0', [paid, paid, paid, paid, refused, later, unknown]],
    ['exit code 10', 'exit 10', [refused, refused, refused, unknown, refused, unknown, unknown]],
    ['exit code 75', 'exit 75', [later, later, later, unknown, unknown, later, unknown]],
    ['exit code 1', 'exit 1', Array(7).fill(unknown)],
    ['exit code 127', 'exit 127', Array(7).fill(unknown)],
    ['a signal', 'kill -KILL $$', Array(7).fill(unknown)],
  ])('of a program that ends with %s, by its last line', async (_, end, meanings) => {
    expect(named(await meaningsOf(await openProgramShop(), end))).toEqual(named(meanings));
  });

  it.each([
    ['200', [paid, unknown, paid, paid, refused, later, unknown]],
    ['302', Array(7).fill(unknown)],
    ['400', [unknown, unknown, unknown, unknown, refused, later, unknown]],
    ['401', [rejected, rejected, rejected, unknown, rejected, rejected, rejected]],
    ['404', [rejected, rejected, rejected, unknown, rejected, rejected, rejected]],
    ['422', [refused, refused, refused, unknown, refused, unknown, unknown]],
    ['429', [later, later, later, unknown, unknown, later, unknown]],
    ['500', Array(7).fill(unknown)],
  ])('of a service with status %s, by its body', async (status, meanings) => {
    expect(named(await meaningsOf(await openServiceShop(), status))).toEqual(named(meanings));
  });

  it('of a service with a status set to mean paid is that of 200', async () => {
    const shop = await openServiceShop(14, ['--payer-paid-status', '409']);
    const meanings = [paid, unknown, paid, paid, refused, later, unknown];
    expect(named(await meaningsOf(shop, '409'))).toEqual(named(meanings));
  });
});
