import { expect, it } from 'vitest';
import { openPayingShop, records } from './ledger-shop.ts';

/** A program that records its call and then runs these lines of shell. */
const noting = (lines: string) => `#!/bin/sh
cd "\${0%/*}"
read -r call
printf '%s\\n' "$call" >> calls.ndjson
${lines}
`;

async function openShop(lines: string) {
  const shop = await openPayingShop({ reviews: 2 });
  shop.write('pay.sh', noting(lines));
  return { ...shop, argv: `rewards settle ${shop.payer} --max-count 1` };
}

it.each([
  [
    'of another payment is unknown, and named',
    '"paid","ref":"R1","id":"c0"',
    {
      outcome: 'unknown',
      reason: expect.stringMatching(
        /^the payer has ended, and its answer is for another payment: id 'c0', not '\d+';/,
      ),
    },
  ],
  [
    'of its own payment decides alone',
    '"paid","ref":1234567890123456781',
    { outcome: 'paid', report: 'confirmed', ref: '1234567890123456781' },
  ],
  ['that nothing was paid leaves the payment unknown', '"retry"', { outcome: 'unknown' }],
])('after its caller was killed, the last line of a payer %s', async (_, answer, record) => {
  const shop = await openShop(`kill -KILL $PPID\necho '{"outcome":${answer}}'`);
  expect((await shop.runBuilt(shop.argv)).exitCode).not.toBe(0);
  const [id] = shop.paid();
  shop.write('pay.sh', noting('exit 75'));
  const { stdout } = await shop.run(shop.argv);
  expect(records(stdout).find(({ rewardId }) => rewardId === id)).toMatchObject(record);
  expect(shop.paid().filter((called) => called === id)).toHaveLength(1);
});

it.each([
  [
    'does not end in time',
    'exec sleep 600',
    /^the payer did not end in time and was killed after it said 'paid'/,
  ],
  ['is killed by another', 'kill -TERM $$', /^the payer was killed by SIGTERM after it said 'paid'/],
  [
    'writes more than it may',
    'exec cat /dev/zero >&2',
    /^the payer wrote more than 1 MiB after it said 'paid'/,
  ],
])('a payer that says paid and then %s stays unknown', async (_, lines, reason) => {
  const shop = await openShop(`echo '{"outcome":"paid"}'\n${lines}`);
  const argv = `${shop.argv} -c payer-timeout=2s`;
  for (const _run of ['first', 'second']) {
    const { exitCode, stdout } = await shop.runBuilt(argv);
    const [id] = shop.paid();
    expect(exitCode).toBe(11);
    const record = records(stdout).find(({ rewardId }) => rewardId === id);
    expect(record).toMatchObject({ outcome: 'unknown', reason: expect.stringMatching(reason) });
  }
  expect([...shop.statuses().values()]).not.toContain('SUCCESS');
});
