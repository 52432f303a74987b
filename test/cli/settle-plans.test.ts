import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { printedRecords } from '../../src/cli/commands/printed-records.ts';
import { openPayingShop, records } from './ledger-shop.ts';
import { recordsIn } from './open-place.ts';
import { expectEnd } from './run-cli.ts';

/** A shop with a ledger and a payer that pays, and its settle command. */
async function openShop(reviews = 8) {
  const shop = await openPayingShop({ reviews });
  shop.write('exit-code', '0');
  shop.served.sandbox.transact(({ state: { rewards } }) => {
    for (const reward of rewards.values()) rewards.put({ ...reward, amount: 500 });
  });
  const words = `rewards settle ${shop.payer}`;
  const path = join(shop.folder, 'today.plan');
  return {
    ...shop,
    path,
    words,
    members: await shop.memberRewards(),
    settle: (...more: readonly string[]) => shop.run([words, ...more]),
  };
}

const owner = String(process.getuid?.());

it('a plan holds what would be paid, and neither pays anything nor tells a credential', async () => {
  const shop = await openShop();
  const { stdout, stderr } = expectEnd(await shop.settle(`--plan-out ${shop.path}`), 0);
  expect(records(stdout)).toHaveLength(8);
  const [heading, ...lines] = records(readFileSync(shop.path, 'utf8'));
  expect(heading).toMatchObject({ kind: 'rewards', about: { payer: `exec ${join(shop.folder, 'pay.sh')}` } });
  expect(lines.slice(0, -1).map(({ rewardId }) => rewardId)).toEqual([...shop.members].toSorted());
  expect(lines.at(-1)).toMatchObject({ records: shop.members.length });
  expect(statSync(shop.path).mode & 0o777).toBe(0o600);
  expect(readFileSync(shop.path, 'utf8')).not.toContain('a-token');
  expect(stderr).toContain(`planned, nothing was paid; 8 rewards: ${shop.members.length} to be paid`);
  expect(stderr).toContain(`it holds ids of members and orders, and no credential`);
  expect(stderr).toContain(`to pay it, once: reviewctl rewards settle ${shop.payer} --plan ${shop.path}`);
  expect(shop.paid()).toEqual([]);
  expect((await shop.settle(`--plan-out ${shop.path}`)).stderr).toContain('exists already');
  // The user who pays the plan may read it first, if its owner lets a group read it.
  chmodSync(shop.path, 0o640);
  const shown = recordsIn(await shop.run(`plan show ${shop.path}`));
  expect(shown).toEqual(lines.slice(0, -1));
  for (const record of shown) printedRecords['planned-payment'].parse(record);
});

it('a plan pays exactly what it holds, once, also where more waits by then', async () => {
  const shop = await openShop();
  const [first = '', ...others] = shop.members;
  shop.served.sandbox.transact(({ state: { rewards } }) => {
    for (const reward of rewards.values())
      if (reward.id !== first) rewards.put({ ...reward, status: 'UNAPPROVED' });
  });
  await shop.settle(`--plan-out ${shop.path}`);
  shop.served.sandbox.transact(({ state: { rewards } }) => {
    for (const reward of rewards.values()) rewards.put({ ...reward, status: 'QUEUED' });
  });
  expectEnd(
    await shop.settle(`--plan ${shop.path}`),
    0,
    new RegExp(
      `^1 reward: 1 paid \\(500\\)\n${others.length} other rewards .* are waiting and not in this plan; to plan them: .*--plan-out FILE\n$`,
    ),
  );
  const again = await shop.settle(`--plan ${shop.path}`);
  expect(again).toMatchObject({ exitCode: 7, stdout: '' });
  expect(again.stderr).toMatch(
    /was already carried out, and ended at .*; a plan pays once\nhint: .*--plan-out FILE\n$/,
  );
  expect(shop.paid()).toEqual([first]);
  const { stdout } = await shop.run(`ledger show ${first}`);
  expect(stdout).toMatch(/"plan":"plan-[0-9a-f]{16}"/);
  expectEnd(await shop.run('ledger verify'), 0);
});

it('a reward that changed is held with both values and ends with 6, the rest of the plan is paid', async () => {
  const shop = await openShop();
  const [first = '', ...rest] = shop.members;
  await shop.settle(`--plan-out ${shop.path}`);
  shop.served.sandbox.transact(({ state: { rewards } }) => {
    const reward = rewards.get(first);
    if (reward !== undefined) rewards.put({ ...reward, amount: 900 });
  });
  const { stdout, stderr } = expectEnd(await shop.settle(`--plan ${shop.path}`), 6);
  const held = records(stdout).find(({ rewardId }) => rewardId === first);
  expect(held?.['reason']).toMatch(/^the plan says 500 to M\d+; now it is 900 to M\d+$/);
  expect(stderr).toContain('1 reward changed since the plan, and not paid by it; the plan says 500');
  expect(shop.paid().toSorted()).toEqual(rest.toSorted());
});

it('a plan that was edited pays nothing', async () => {
  const shop = await openShop();
  await shop.settle(`--plan-out ${shop.path}`);
  writeFileSync(shop.path, readFileSync(shop.path, 'utf8').replace('"amount":500', '"amount":900'));
  const refused = await shop.settle(`--plan ${shop.path}`);
  expectEnd(refused, 3, /^error: the plan .* is incomplete, or was changed after it was made\nhint: /);
  expect(shop.paid()).toEqual([]);
});

it('with a plan owner nothing but their plans is paid, by whatever command', async () => {
  const shop = await openShop();
  await shop.settle(`--plan-out ${shop.path} -c plan-owner=${owner}`);
  const secret = shop.write('secret', 'path-secret-of-16');
  chmodSync(secret, 0o600);
  for (const argv of [
    shop.words,
    `rewards settle ${shop.members[0]} ${shop.payer}`,
    `rewards export ${join(shop.folder, 'out.csv')}`,
    `rewards listen -c path-secret-file=${secret} -c allow-ip=127.0.0.1 ${shop.payer}`,
  ]) {
    expectEnd(
      await shop.run(`${argv} -c plan-owner=${owner}`),
      7,
      /^error: rewards \w+ would pay without a plan, but only plans of plan-owner \d+ may be paid; .*\nhint: .*rewards settle .*--plan FILE/,
    );
  }
  expectEnd(await shop.settle(`--dry-run -c plan-owner=${owner}`), 0);
  const other = await shop.settle(`--plan ${shop.path} -c plan-owner=${Number(owner) + 1}`);
  expect(other).toMatchObject({ exitCode: 7, stdout: '' });
  const link = join(shop.folder, 'link.plan');
  symlinkSync(shop.path, link);
  expect((await shop.settle(`--plan ${link} -c plan-owner=${owner}`)).stderr).toContain('is a symbolic link');
  expectEnd(await shop.settle(`--plan ${shop.path} -c plan-owner=nobody-of-this-name`), 2);
  expect(shop.paid()).toEqual([]);
  expectEnd(
    await shop.settle(`--plan ${shop.path} -c plan-owner=${owner}`),
    0,
    'one person would plan and pay',
  );
  expect(shop.paid().length).toEqual(shop.members.length);
});

it('a plan owner comes from the profile, and no project file sets or empties it', async () => {
  const shop = await openShop();
  const unplanned = { exitCode: 7, stdout: '' };
  await shop.run(`config set plan-owner ${owner}`);
  expect(await shop.settle()).toMatchObject(unplanned);
  for (const value of ['', null, owner]) {
    shop.write('reviewctl.json', JSON.stringify({ 'plan-owner': value }));
    expectEnd(await shop.settle(), 2, "must not set 'plan-owner'");
  }
  shop.write('reviewctl.json', JSON.stringify({ plan: shop.path }));
  expectEnd(await shop.settle(), 2);
  rmSync(join(shop.folder, 'reviewctl.json'));
  expect(await shop.run(shop.words, { env: { ...shop.env, REVIEWCTL_PLAN_OWNER: '' } })).toMatchObject(
    unplanned,
  );
  expect(shop.paid()).toEqual([]);
});

it('no plan is made of a frozen ledger, of less than was expected, or where it would only be shown', async () => {
  const shop = await openShop();
  const planless = async (exitCode: number, ...more: readonly string[]) => {
    expectEnd(await shop.settle(`--plan-out ${shop.path}`, ...more), exitCode);
    expect(existsSync(shop.path)).toBe(false);
  };
  await planless(7, '--expect-count', '1');
  await planless(2, '--dry-run');
  await planless(2, '--plan', shop.path);
  await shop.run('ledger freeze --reason audit');
  await planless(7);
  await shop.run('ledger unfreeze');
  const amount = shop.members.length * 500;
  await shop.settle(`--plan-out ${shop.path} --expect-total`, String(amount));
  expect(existsSync(shop.path)).toBe(true);
});

it('a dry run shows every reward, and ends with 7 as the run would if they are not as expected', async () => {
  const shop = await openShop();
  const { length } = shop.members;
  await shop.settle(`--plan-out ${shop.path}`);
  for (const plan of ['', `--plan ${shop.path}`]) {
    const dryRun = (expected: string) => shop.settle(`--dry-run ${expected} ${plan}`);
    expectEnd(await dryRun(`--expect-count ${length} --expect-total ${length * 500}`), 0);
    const { stdout } = expectEnd(
      await dryRun('--expect-total 1'),
      7,
      `expected 1 in all, but ${length} rewards`,
    );
    expect(records(stdout).length).toBeGreaterThanOrEqual(length);
  }
});

/** A payer that reports its payments, and kills its run during the fourth call. */
const killingPayer = `#!/bin/sh
cd "\${0%/*}"
cat >> calls.ndjson
echo '{"outcome":"paid"}'
if [ ! -e killed ] && [ "$(wc -l < calls.ndjson)" -ge 4 ]; then touch killed; kill -9 "$PPID"; fi
`;

it('killed between payments, the same command pays the rest of the plan, and nobody twice', async () => {
  const shop = await openShop(15);
  shop.write('pay.sh', killingPayer);
  await shop.settle(`--plan-out ${shop.path}`);
  const settle = `${shop.words} --plan ${shop.path} --expect-count ${shop.members.length} -c concurrency=1`;
  expect((await shop.runBuilt(settle)).exitCode).toBeNull();
  expect(shop.paid()).toHaveLength(4);
  // The payer of the killed run may still be running for a moment.
  let exitCode: number | null = 9;
  for (let run = 1; run <= runsMaximum && exitCode === 9; run += 1) {
    exitCode = (await shop.runBuilt(settle)).exitCode;
  }
  expect({ exitCode, paid: shop.paid() }).toEqual({ exitCode: 0, paid: [...shop.members].toSorted() });
  expectEnd(await shop.runBuilt(settle), 7);
  expectEnd(await shop.runBuilt('ledger verify'), 0);
});

/** Runs that may find the payer of the killed run still running. */
const runsMaximum = 5;
