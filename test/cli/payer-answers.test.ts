import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serveHttp } from '../client/loopback.ts';
import { type LedgerShop, openPayingShop, records } from './ledger-shop.ts';
import { expectEnd } from './run-cli.ts';

/** Prints the file `said`, then ends as in the file `end`. */
const sayingPayer = `#!/bin/sh
cd "\${0%/*}"
read -r call
sed "s/@KEY@/$REVIEWCTL_PAYMENT_KEY/" said
. ./end
`;

/** An answer of a payer: its exit or status, and its last line or body. `@KEY@` stands for the key of the payment. */
interface Answer {
  readonly end: string;
  readonly text: string;
}

/** A shop whose payer gives one configured answer at a time. */
interface AnsweringShop {
  readonly shop: LedgerShop;
  readonly payer: string;
  readonly rewards: readonly string[];
  readonly amounts: ReadonlyMap<string, number>;
  /** Pays one reward with this answer; returns its record and the exit code. */
  readonly pay: (rewardId: string, answer: Answer) => Promise<PaidReward>;
}

interface PaidReward {
  readonly exitCode: number | null;
  readonly record: Readonly<Record<string, unknown>>;
}

function amountsOf({ served }: LedgerShop): ReadonlyMap<string, number> {
  return served.sandbox.transact(
    ({ state }) => new Map([...state.rewards.values()].map(({ id, amount }) => [id, amount])),
  );
}

async function payOne(shop: LedgerShop, payer: string, rewardId: string): Promise<PaidReward> {
  const { exitCode, stdout } = await shop.run(`rewards settle ${rewardId} ${payer}`);
  return { exitCode, record: records(stdout)[0] ?? {} };
}

async function openProgramShop(reviews = 14): Promise<AnsweringShop> {
  const shop = await openPayingShop({ reviews });
  shop.write('pay.sh', sayingPayer);
  const { payer } = shop;
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

async function openServiceShop(reviews = 14, more = ''): Promise<AnsweringShop> {
  const shop = await openPayingShop({ reviews });
  let answer: Answer = { end: '500', text: '' };
  const { url } = await serveHttp(({ headers }, outgoing) => {
    outgoing
      .writeHead(Number(answer.end))
      .end(answer.text.replace('@KEY@', String(headers['idempotency-key'])));
  });
  const payer = `--payer-url ${url} ${more}`;
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
const later = 'waiting, exit 5';
const unknown = 'unknown, exit 11';
const rejected = 'waiting, exit 2';

const says = {
  nothing: '',
  'a word': 'OK',
  'JSON without an outcome': '{"done":true}',
  paid: '{"outcome":"paid"}',
  refused: '{"outcome":"refused"}',
  retry: '{"outcome":"retry"}',
  'another outcome': '{"outcome":"ok"}',
  'a blank outcome': '{"outcome":null}',
} as const;

const meaningOf = ({ record, exitCode }: PaidReward) => `${String(record['outcome'])}, exit ${exitCode}`;

/** Pays one reward with each answer of `says`; returns the outcomes. */
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
  it('of a program goes by its exit code and its last line', async () => {
    const meanings = [paid, paid, paid, paid, refused, later, unknown, unknown];
    expect(named(await meaningsOf(await openProgramShop(), 'exit 0'))).toEqual(named(meanings));
  });

  it('of a service that does not know us goes by its status alone, but for what contradicts it', async () => {
    const meanings = [rejected, rejected, rejected, unknown, rejected, rejected, rejected, rejected];
    expect(named(await meaningsOf(await openServiceShop(), '401'))).toEqual(named(meanings));
  });

  it('of a service with a status set to mean paid is that of 200', async () => {
    const shop = await openServiceShop(14, '-c payer-paid-status=409');
    const meanings = [paid, unknown, paid, paid, refused, later, unknown, unknown];
    expect(named(await meaningsOf(shop, '409'))).toEqual(named(meanings));
  });
});

/** Replays the answer for c0 to all other calls: once by a program, once by a proxy before the service. */
const replays = {
  program: async (shop: LedgerShop) => {
    shop.write(
      'pay.sh',
      `#!/bin/sh
cd "\${0%/*}"
read -r call
[ -e first ] || printf '{"outcome":"paid","ref":"R1",%s\\n' "\${call#?}" > first
cat first
`,
    );
    return shop.payer;
  },
  service: async () => {
    let first: string | undefined;
    const { url, seen } = await serveHttp((_, outgoing) => {
      first ??= `{"outcome":"paid","ref":"R1",${seen.at(-1)?.body.slice(1)}`;
      outgoing.end(first);
    });
    return `--payer-url ${url}`;
  },
} as const;

it.each(Object.keys(replays) as (keyof typeof replays)[])(
  'the answer of one payment, replayed by a %s, pays no other',
  async (kind) => {
    const shop = await openPayingShop({ reviews: 8 });
    const payer = await replays[kind](shop);
    const { exitCode, stdout, stderr } = await shop.run(`rewards settle ${payer}`);
    const outcomes = records(stdout).filter(({ key }) => key !== null);
    const [first, ...others] = outcomes.toSorted((one) => (one['outcome'] === 'paid' ? -1 : 1));
    expect(exitCode).toBe(11);
    expect(first).toMatchObject({ outcome: 'paid', report: 'confirmed', ref: 'R1' });
    expect(others.length).toBeGreaterThan(2);
    for (const { rewardId, outcome, reason } of others) {
      expect({ rewardId, outcome }).toEqual({ rewardId, outcome: 'unknown' });
      expect(reason).toContain(
        `its answer is for another payment: id '${String(first?.['rewardId'])}', not '${String(rewardId)}'`,
      );
    }
    const successes = [...shop.statuses()].filter(([, status]) => status === 'SUCCESS');
    expect(successes).toEqual([[first?.['rewardId'], 'SUCCESS']]);
    expect(stderr).not.toMatch(/ [2-9] paid/);
  },
);

const channels = { program: openProgramShop, service: openServiceShop } as const;
const channelNames = Object.keys(channels) as (keyof typeof channels)[];
const ends = { program: 'exit 0', service: '200' } as const;

describe.each(channelNames)('an answer of a %s', (kind) => {
  const open = (reviews?: number) => channels[kind](reviews);
  const end = ends[kind];

  it('that names another payment is unknown, whatever it says of it', async () => {
    const { rewards, pay } = await open();
    const [outcome, ...more] = [
      '"outcome":"paid"',
      '"outcome":"refused"',
      '"outcome":"retry"',
      '"done":true',
    ];
    const foreign: readonly (readonly [members: string, difference: string])[] = [
      [`${outcome},"key":"rv1-other"`, "key 'rv1-other', not 'rv1-"],
      [`${outcome},"id":"c0"`, "id 'c0', not '"],
      [`${outcome},"rewardId":"c0"`, "rewardId 'c0', not '"],
      [`${outcome},"amount":7`, "amount '7', not '"],
      [`${outcome},"amount":"7.00"`, "amount '7.00', not '"],
      [`${outcome},"id":12345678901234567890`, "id '12345678901234567890', not '"],
      [`${outcome},"key":"@KEY@","amount":true`, "amount 'true', not '"],
      ...more.map((members) => [`${members},"id":"c0"`, "id 'c0', not '"] as const),
    ];
    for (const [index, [members, difference]] of foreign.entries()) {
      const { record } = expectEnd(await pay(rewards[index] ?? '', { end, text: `{${members}}` }), 11);
      expect({ members, outcome: record['outcome'] }).toEqual({ members, outcome: 'unknown' });
      expect(record['reason']).toContain(`its answer is for another payment: ${difference}`);
    }
  });

  it('that names its own payment is taken, in whatever form', async () => {
    const { rewards, pay, amounts } = await open();
    const ofReward: readonly ((id: string, amount: number) => string)[] = [
      (id, amount) => `"key":"@KEY@","id":"${id}","rewardId":"${id}","amount":${amount}`,
      (id, amount) => `"id":${id},"amount":"${amount}.00"`,
      (_, amount) => `"amount":${amount}.0`,
      (_, amount) => `"amount":${amount / 100}E+2`,
      () => '"key":null,"id":null,"rewardId":null,"amount":null',
      // The last of several members with the same name counts.
      (id) => `"id":"c0","id":"${id}"`,
      () => '"payment":{"id":"c0","amount":7}',
    ];
    for (const [index, membersOf] of ofReward.entries()) {
      const id = rewards[index] ?? '';
      const members = membersOf(id, amounts.get(id) ?? 0);
      const { record } = await pay(id, { end, text: `{"outcome":"paid",${members}}` });
      expect({ members, outcome: record['outcome'] }).toEqual({ members, outcome: 'paid' });
    }
  });

  it('keeps every digit of a receipt', async () => {
    const { shop, rewards, pay } = await open(8);
    const receipts = ['1234567890123456781', '1234567890123456782', '0.10', '1E3', '-0'];
    for (const [index, receipt] of receipts.entries()) {
      const id = rewards[index] ?? '';
      const text = `{"other":{"ref":1},"ref":1, "r\\u0065f" : ${receipt} ,"outcome":"paid"}`;
      expect((await pay(id, { end, text })).record).toMatchObject({ outcome: 'paid', ref: receipt });
      expect((await shop.run(`ledger show ${id}`)).stdout).toContain(`"ref":"${receipt}"`);
    }
  });
});

it.each([
  ['401', '', rejected],
  ['401', '"outcome":"refused",', rejected],
  ['401', '"outcome":"paid",', unknown],
  ['422', '', unknown],
  ['422', '"outcome":"refused",', unknown],
  ['429', '"outcome":"retry",', unknown],
  ['400', '"outcome":"refused",', unknown],
])('a service with status %s and {%s"id":"c0"} means: %s', async (status, members, meaning) => {
  const { rewards, pay } = await openServiceShop(3);
  const answer = { end: status, text: `{${members}"id":"c0"}` };
  expect(meaningOf(await pay(rewards[0] ?? '', answer))).toBe(meaning);
});

it.each(['exit 10', 'exit 75'])(
  'a program that ends with %s and names another payment is unknown',
  async (end) => {
    const { rewards, pay } = await openProgramShop(3);
    expect(await pay(rewards[0] ?? '', { end, text: '{"id":"c0"}' })).toMatchObject({
      exitCode: 11,
      record: { outcome: 'unknown' },
    });
  },
);

it('a lookup decides only what it says of its own payment', async () => {
  const { shop, payer, rewards, pay } = await openProgramShop(3);
  const [id = ''] = rewards;
  await pay(id, { end: 'exit 1', text: '' });
  const lookUp = async (members: string) => {
    const lookUpProgram = shop.write(
      'look-up.sh',
      `#!/bin/sh\nread -r call\necho '{"outcome":${members}}'\n`,
    );
    chmodSync(lookUpProgram, 0o700);
    const flags = `-c payer-lookup-command=${lookUpProgram} -c payer-lookup-delay=0s`;
    const { stdout } = await shop.run(`rewards settle ${id} ${payer} ${flags}`);
    const [record] = records(stdout);
    return { outcome: record?.['outcome'], ref: record?.['ref'] };
  };
  expect(await lookUp('"paid","ref":5,"id":"c0"')).toEqual({ outcome: 'unknown' });
  expect(await lookUp('"paid","ref":5,"amount":7')).toEqual({ outcome: 'unknown' });
  expect(await lookUp('"not-found","id":"c0"')).toEqual({ outcome: 'unknown' });
  const ref = '1234567890123456783';
  expect(await lookUp(`"paid","ref":${ref},"id":${id}`)).toEqual({ outcome: 'paid', ref });
});
