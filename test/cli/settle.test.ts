import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { locationAt } from '../../src/store/ledger/ledger-location.ts';
import { settleLocks } from '../../src/store/open-store.ts';
import { serveHttp } from '../client/loopback.ts';
import { type LedgerShop, openPayingShop, records } from './ledger-shop.ts';
import { recordsIn } from './open-place.ts';
import { expectEnd, expectNothing, programPath, runShell } from './run-cli.ts';

/** A shop with a ledger and a payer that pays. */
async function openShop(reviews: number) {
  const shop = await openPayingShop({ reviews });
  shop.write('exit-code', '0');
  return { ...shop, members: await shop.memberRewards() };
}

/** Number of rewards with this status at the service. */
const count = ({ statuses }: LedgerShop, status: string) =>
  [...statuses().values()].filter((one) => one === status).length;

/** Starts the built program, and kills it after the test if it still runs. */
function start(
  shop: LedgerShop,
  argv: readonly string[],
  stderr: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  const child = spawn(process.execPath, [programPath, ...argv], {
    cwd: shop.folder,
    env: shop.env,
    stdio: ['ignore', 'ignore', stderr],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

it('rewards of several pages, which leave the list as they are told, are all settled; those of guests are held', async () => {
  const shop = await openShop(120);
  const { exitCode, stdout, stderr } = await shop.runBuilt(`rewards settle ${shop.payer}`);
  const outcomes = records(stdout);
  const guests = outcomes.length - shop.members.length;
  expect({ exitCode, outcomes: outcomes.length }).toEqual({ exitCode: 0, outcomes: 120 });
  expect(guests).toBeGreaterThan(0);
  expect(shop.paid().toSorted()).toEqual(shop.members.toSorted());
  expect({ success: count(shop, 'SUCCESS'), queued: count(shop, 'QUEUED') }).toEqual({
    success: shop.members.length,
    queued: guests,
  });
  expect(stderr).toMatch(
    new RegExp(`^120 rewards: ${shop.members.length} paid \\([\\d,]+\\), ${guests} held`, 'm'),
  );
  expectEnd(await shop.settle(0, '-c fail-on-held=true'), 6);
});

it('the cap of a day is hit exactly by processes that pay from one ledger at once', async () => {
  const shop = await openShop(20);
  shop.served.sandbox.transact(({ state }) => {
    for (const reward of state.rewards.values()) state.rewards.put({ ...reward, amount: 1000 });
  });
  const caps = `${shop.payer} -c max-amount-per-day=7000`;
  await Promise.all([
    shop.runBuilt(`rewards settle ${caps}`),
    ...shop.members.slice(-5).map((id) => shop.runBuilt(`rewards settle ${id} ${caps}`)),
  ]);
  expect(shop.members.length).toBeGreaterThan(7);
  expect(new Set(shop.paid()).size).toBe(7);
  expect(shop.paid()).toHaveLength(7);
  expectEnd(await shop.runBuilt(`rewards settle ${caps}`), 7);
  expect(count(shop, 'SUCCESS')).toBe(7);
  expectEnd(await shop.settle(), 0);
  expect(count(shop, 'SUCCESS')).toBe(shop.members.length);
});

it('runs do not overlap: the second is exit 9, or waits; by a link the ledger is the same', async () => {
  const shop = await openShop(2);
  const link = join(shop.folder, 'link.db');
  symlinkSync(shop.ledgerPath, link);
  const place = locationAt(shop.ledgerPath, '');
  const lock = await settleLocks(place).acquire(place.lockName, 'rewards settle');
  for (const more of [[], [`-c ledger=${link}`]]) {
    expectNothing(
      await shop.settle(0, ...more),
      9,
      /^error: another run of reviewctl rewards settle or rewards export is under way/,
    );
  }
  const waiting = shop.runBuilt(`rewards settle ${shop.payer} -c lock-wait=1m`);
  await lock.release();
  expectEnd(await waiting, 0);
  expect(shop.paid().toSorted()).toEqual(shop.members.toSorted());
});

it('what another run listed and the service gave up since is not expected', async () => {
  const shop = await openShop(6);
  const place = locationAt(shop.ledgerPath, '');
  const lock = await settleLocks(place).acquire(place.lockName, 'rewards settle');
  const cancelAll = () =>
    shop.served.sandbox.transact(({ state }) => {
      for (const reward of state.rewards.values()) state.rewards.put({ ...reward, status: 'CANCELLED' });
    });
  let waitedMs = 0;
  const clock: Clock = { ...systemClock, now: () => Date.now() + waitedMs, sleep: async () => undefined };
  const settle = `rewards settle ${shop.payer} -c lock-wait=1m`;
  const waiting = {
    ...clock,
    sleep: async () => {
      await lock.release();
      waitedMs += 1000;
      expectEnd(await shop.run(`${settle} --expect-count 99`, { clock }), 7);
      waitedMs += 1000;
      cancelAll();
    },
  };
  const { stdout } = expectEnd(await shop.run(`${settle} --expect-count 0`, { clock: waiting }), 6);
  expect(records(stdout).map(({ outcome, reason }) => [outcome, reason])).toEqual(
    Array.from({ length: 6 }, () => ['waiting', 'the service no longer lists it: it says CANCELLED']),
  );
  expect([shop.paid(), count(shop, 'CANCELLED')]).toEqual([[], 6]);
});

it('the setting lock-wait ends in time although the clock is set back while the lock is waited for', async () => {
  const shop = await openShop(2);
  const place = locationAt(shop.ledgerPath, '');
  const lock = await settleLocks(place).acquire(place.lockName, 'rewards settle');
  let waitedMs = 0;
  const clock: Clock = {
    now: () => Date.now() - (waitedMs === 0 ? 0 : 3_600_000),
    monotonicMs: () => waitedMs,
    sleep: async (ms) => {
      waitedMs += ms;
    },
  };
  const words = `rewards settle ${shop.payer} -c lock-wait=1s`;
  expectEnd(await shop.run(words, { clock }), 9);
  expect(waitedMs).toBe(1000);
  await lock.release();
});

it('a ledger that is deleted, cut off, older than known, or of another shop is exit 12, and nothing is paid', async () => {
  const shop = await openShop(12);
  const file = shop.ledgerPath;
  const older = join(shop.folder, 'older.db');
  copyFileSync(file, older);
  const settle = `rewards settle ${shop.payer}`;
  await shop.runBuilt(`${settle} --max-count 1`);
  const [first] = shop.paid();
  const newest = readFileSync(file);
  const put = (bytes: Uint8Array) => {
    for (const beside of ['-wal', '-shm']) rmSync(file + beside, { force: true });
    writeFileSync(file, bytes);
  };
  const refused = async (message: RegExp, ...more: readonly string[]) => {
    expectNothing(
      await shop.runBuilt([settle, ...more]),
      12,
      message,
      /\nhint: .*(?:restore|backup|-c ledger|the setting ledger|-c shop)/,
    );
    expect(shop.paid()).toEqual([first]);
  };
  put(readFileSync(older));
  await refused(/^error: the ledger .* is out of date: it ends at event/);
  put(newest);
  truncateSync(file, newest.length - 8192);
  await refused(/^error: the ledger .* (?:is damaged|cannot be used)/);
  put(newest);
  await refused(/^error: the ledger .* belongs to the shop 'default' .* not to 'other'/, '-c', 'shop=other');
  rmSync(file);
  await refused(/^error: there is no ledger at .*, but there was one for the shop 'default'/);
  expect(existsSync(file)).toBe(false);
});

it('where the ledger has no room left nothing more is paid, and once there is room nothing is paid twice', async () => {
  const shop = await openShop(40);
  const words = `rewards settle ${shop.payer}`;
  // A size in KiB. Without the trap, the signal would end the process before it could report.
  expectEnd(
    await runShell(`trap '' XFSZ; ulimit -f 150; reviewctl ${words}`, {
      cwd: shop.folder,
      env: shop.env,
    }),
    2,
    /error: the ledger .* cannot be used: .*\nhint: check that its disk has free space/,
  );
  expect(shop.paid().length).toBeLessThan(shop.members.length);
  await shop.settle();
  expect(new Set(shop.paid()).size).toBe(shop.paid().length);
});

it('only login --same-shop lets a new credential settle, if it is valid', async () => {
  const shop = await openShop(4);
  const wrong = { env: { ...shop.env, REVIEWCTL_TOKEN: 'nobody-knows-it' } };
  const settle = `rewards settle ${shop.payer}`;
  const login = 'login --same-shop';
  expectEnd(await shop.run(settle, wrong), 12, 'reviewctl login --same-shop\n');
  expectEnd(await shop.run(login, wrong), 4);
  expectEnd(await shop.run(settle, wrong), 12);
  await shop.served.close();
  const port = Number(new URL(shop.served.baseUrl).port);
  const renewed = await serveSandbox({ port, token: 'nobody-knows-it', products: 5, orders: 9, reviews: 4 });
  onTestFinished(() => renewed.close());
  expectEnd(await shop.run(`${settle} --dry-run`, wrong), 12);
  expectEnd(
    await shop.run(login, wrong),
    0,
    `the credential is accepted for the ledger ${shop.ledgerPath}\n`,
  );
  expectEnd(await shop.run(`${settle} --dry-run`, wrong), 0);
  expectEnd(await shop.run(settle, wrong), 0);
});

it('a reader of the output that goes away stops no payment', async () => {
  const shop = await openShop(60);
  const { stdout } = expectEnd(
    await runShell(`reviewctl rewards settle ${shop.payer} | head -n 1`, {
      cwd: shop.folder,
      env: shop.env,
    }),
    0,
  );
  expect(records(stdout).length).toBe(1);
  expect(count(shop, 'SUCCESS')).toBe(shop.members.length);
});

it('the monitor is told of a run that ends with 0, and neither of another nor of a dry one', async () => {
  const shop = await openShop(4);
  const { url, seen } = await serveHttp((_, outgoing) => outgoing.end());
  const ping = `-c ping=${url}/ping/4711`;
  expectEnd(await shop.settle(0, `--dry-run ${ping}`), 0);
  expectEnd(await shop.settle(75, ping), 5);
  expect(seen).toEqual([]);
  expectEnd(await shop.settle(0, ping), 0);
  expect(seen.map(({ method, url: path }) => `${method} ${path}`)).toEqual(['GET /ping/4711']);
});

it('Ctrl-C finishes and tells the payment under way, begins no other, and the next run pays the rest', async () => {
  const shop = await openShop(12);
  const gate = join(shop.folder, 'gate');
  shop.write('pay.sh', `#!/bin/sh\ncd "\${0%/*}"\ncat >> calls.ndjson\n: > called\nread -r _ < gate\n`);
  await runShell(`mkfifo ${gate}`);
  const child = start(shop, `rewards settle ${shop.payer} -c concurrency=1`.split(' '), 'pipe');
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, 'close');
  // Opens the gate once the signal, bit 2 of the pending signals, has reached the program.
  const opened = runShell(
    `until [ -e called ]; do sleep 0.05; done; kill -INT ${child.pid}
     while grep -Eq '^(Sig|Shd)Pnd:.*[2367abef]$' /proc/${child.pid}/status; do sleep 0.01; done; echo > gate`,
    { cwd: shop.folder },
  );
  expectEnd(await opened, 0);
  expect((await ended)[0]).toBe(130);
  expect(stderr).toContain('warning: interrupted: finishing 1 payment; Ctrl-C again stops at once\n');
  expect(stderr).toContain('warning: interrupted: no payment is in progress\n');
  expect({ calls: shop.paid().length, success: count(shop, 'SUCCESS') }).toEqual({ calls: 1, success: 1 });
  shop.write('pay.sh', '#!/bin/sh\ncd "$(dirname "$0")"\ncat >> calls.ndjson\n');
  expectEnd(await shop.settle(), 0);
  expect(shop.paid().toSorted()).toEqual(shop.members.toSorted());
});

it('an account has one ledger, whatever the profile or the name of the shop, unless a person says that the other is lost', async () => {
  const shop = await openShop(4);
  const login = `login --profile two --base-url ${shop.served.baseUrl}`;
  expectEnd(await shop.run(login, { stdin: shop.served.token }), 0);
  const elsewhere = join(shop.folder, 'other.db');
  for (const more of [['--profile two'], [`-c shop=other -c ledger=${elsewhere}`]]) {
    expectNothing(
      await shop.run(['ledger init', ...more]),
      12,
      /^error: this account has a ledger for the shop 'default' .*ledger\.db, with 0 events; no ledger was created/,
    );
  }
  expect(existsSync(elsewhere)).toBe(false);
  const settle = `rewards settle --profile two -c ledger=${shop.ledgerPath} ${shop.payer}`;
  expectEnd(await shop.run(settle), 0);
  expect(shop.paid().toSorted()).toEqual(shop.members.toSorted());
  const replace = 'ledger init --profile two --replace-lost --yes';
  const notLost = expectEnd(await shop.run(replace), 12, 'error: the ledger of this account is not lost');
  const [, given = '', away = ''] = /: mv (\S+) (\S+)$/m.exec(notLost.stderr) ?? [];
  renameSync(given, away);
  expectEnd(await shop.run(replace), 0);
});

it('a reward whose terms changed is held, and paid after the command that its reason names', async () => {
  const shop = await openShop(6);
  const [first = ''] = shop.members;
  await shop.settle(75);
  shop.served.sandbox.transact(({ state: { rewards } }) => {
    for (const reward of rewards.values()) rewards.put({ ...reward, amount: reward.amount + 400 });
  });
  const ledger = `-c ledger=${shop.ledgerPath}`;
  const namedBy = async (...more: readonly string[]) => {
    const held = records((await shop.settle(0, ledger, ...more)).stdout);
    const reason = String(held.find(({ rewardId }) => rewardId === first)?.['reason']);
    return /; the service now shows 900 to [^;]+(?:; if that was not paid: reviewctl (.+))?$/.exec(
      reason,
    )?.[1];
  };
  // A dry run records no terms that could be resolved.
  expect(await namedBy('--dry-run')).toBeUndefined();
  const named = (await namedBy()) ?? '';
  expect(await namedBy('--dry-run')).toBe(named);
  expect(named).toBe(`ledger resolve ${ledger} ${first} --not-paid --reason …`);
  await shop.run([named.replace('…', 'none'), '--yes']);
  await shop.settle(0);
  expect(shop.paid().filter((id) => id === first)).toHaveLength(2);
});

it('a misspelt field is told before a reward is read, paid or noted', async () => {
  const shop = await openShop(6);
  const eventsOf = async () => recordsIn(await shop.run('ledger status'))[0]?.['events'];
  expectNothing(await shop.settle(0, '--fields rewardid'), 2, 'rewardId');
  expect(shop.paid()).toEqual([]);
  expect(await eventsOf()).toBe(0);
});

it('rewards that are named are paid, those of standard input too, and one that does not wait is named', async () => {
  const shop = await openShop(10);
  const [first = '', second = '', third = ''] = shop.members;
  const argv = `rewards settle ${first} nope - ${shop.payer} --max-count 2`;
  const { exitCode, stdout, stderr } = await shop.run(argv, { stdin: `${second}\n${third}\n` });
  expect(records(stdout).map(({ outcome }) => outcome)).toEqual(['paid', 'paid', 'held']);
  expect({ exitCode, paid: shop.paid() }).toEqual({ exitCode: 7, paid: [first, second] });
  expect(stderr).toContain('the service shows no reward nope');
});

it.each([['--dry-run'], ['--plan', 'a.plan'], ['--plan-out', 'a.plan'], ['--expect-count', '2']])(
  'rewards that are named take no %s, which is for all',
  async (...flags) => {
    const shop = await openShop(10);
    const argv = [`rewards settle ${shop.members[0]} ${shop.payer}`, ...flags];
    expectEnd(await shop.run(argv), 2, `${flags[0]} is for all rewards that wait`);
    expect(shop.paid()).toEqual([]);
  },
);
