import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RewardStatus } from '../../src/contract/states.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { serveHttp } from '../client/loopback.ts';
import { type LedgerShop, manualClock, openLedgerShop, records } from './ledger-shop.ts';
import type { CliResult } from './run-cli.ts';
import { expectEnd } from './run-cli.ts';

/** Changes the status of rewards at the service, or removes them, without notification. */
function setStatus({ served }: LedgerShop, ids: readonly string[], status: RewardStatus | 'removed'): void {
  served.sandbox.transact(({ state: { rewards } }) => {
    for (const id of ids) {
      const reward = rewards.get(id);
      if (status === 'removed') rewards.remove(id);
      else if (reward !== undefined) rewards.put({ ...reward, status });
    }
  });
}

/** A proxy between the program and the service; forwards everything at first. */
function createProxy() {
  /** Rewards hidden from lists of QUEUED ones. */
  const hidden = new Set<string>();
  const proxy = {
    hidden,
    changed: (page: Page): Page => page,
    isRefusing: (_path: string) => false,
    standBefore,
  };
  async function standBefore(address: string): Promise<string> {
    const { url: own, seen } = await serveHttp((incoming, outgoing) => {
      if (proxy.isRefusing(incoming.url ?? '')) return void outgoing.writeHead(500).end();
      void passOn(address, incoming, seen.at(-1)?.body).then(({ status, text }) => {
        const isQueued = incoming.url?.includes('status=QUEUED') === true;
        outgoing.writeHead(status, { 'content-type': 'application/json' });
        outgoing.end(isQueued ? withoutHidden(text) : text);
      });
    });
    return own;
  }
  function withoutHidden(text: string): string {
    const page = JSON.parse(text) as Page;
    const data = page.data.filter(({ id }) => !hidden.has(id));
    const totalCount = Number(page.totalCount) - hidden.size;
    return JSON.stringify(proxy.changed({ ...page, totalCount, data }));
  }
  return proxy;
}

interface Page {
  readonly totalCount: number | null;
  readonly data: readonly { readonly id: string }[];
}

async function passOn(address: string, { url = '', method = '', headers }: IncomingMessage, body = '') {
  const { authorization = '' } = headers;
  const reply = await fetch(new URL(url, address), {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body }),
  });
  return { status: reply.status, text: await reply.text() };
}

/** The ids that a run reports as no longer listed. */
function vanishedIn({ stdout }: CliResult): readonly string[] {
  return records(stdout)
    .filter(({ reason }) => String(reason).startsWith('the service no longer lists it'))
    .map(({ rewardId }) => String(rewardId))
    .toSorted();
}

interface GivenUp {
  readonly options?: SandboxOptions;
  readonly as?: RewardStatus | 'removed';
  readonly proxy?: ReturnType<typeof createProxy>;
}

/**
 * A shop with the rewards of four members. The first run pays one; then the service changes the status of the others.
 */
async function openGivenUp({ options = {}, as = 'FAILURE', proxy = createProxy() }: GivenUp = {}) {
  const shop = await openLedgerShop({ reviews: 12, ...options }, proxy.standBefore);
  const members = (await shop.memberRewards()).slice(0, 4);
  setStatus(
    shop,
    [...shop.statuses().keys()].filter((id) => !members.includes(id)),
    'removed',
  );
  await shop.run('ledger init');
  expectEnd(await shop.settle(0, '--max-count 1'), 7);
  expect(shop.paid()).toHaveLength(1);
  const left = members.filter((id) => !shop.paid().includes(id)).toSorted();
  setStatus(shop, left, as);
  /** The rewards that `ledger status` shows as unpaid and no longer queued. */
  const inStatus = async () => {
    const { stdout } = await shop.run('ledger status -o ndjson');
    return records(stdout)[0]?.['unpaidNotQueued'] as { readonly count: number };
  };
  /** Settles later than the fixed time of the other runs. */
  const settleLater = (...more: readonly string[]) => {
    return shop.run([`rewards settle ${shop.payer}`, ...more], { clock: manualClock });
  };
  return { ...shop, proxy, left, first: left[0] ?? '', inStatus, settleLater };
}

describe('rewards that waited here, and that the service gave up', () => {
  it.each([
    ['FAILURE', [], ': it says FAILURE'],
    ['SUCCESS', [], ': it says SUCCESS'],
    ['removed', [], ', and does not show it'],
    ['FAILURE', ['-c', 'get-reward=GET /admin/v2/reward/{rewardId}'], ': it says FAILURE'],
    ['removed', ['-c', 'get-reward=GET /admin/v2/reward/{rewardId}'], ', and does not show it'],
  ] as const)('are named once, then by the status: %s %s', async (as, more, now) => {
    const shop = await openGivenUp({ as });
    expect(await shop.inStatus()).toMatchObject({ count: 0 });
    const noticed = expectEnd(await shop.settleLater(...more), 6);
    expect(vanishedIn(noticed)).toEqual(shop.left);
    expect(records(noticed.stdout)[0]).toMatchObject({
      rewardId: shop.first,
      outcome: 'waiting',
      reason: `the service no longer lists it${now}`,
    });
    const [warning, ...others] = noticed.stderr.match(/^warning: .*/gm) ?? [];
    expect(others).toEqual([]);
    expect(warning).toContain(
      `3 rewards waiting here, but not QUEUED at the service; the first: ${shop.first} (`,
    );
    expect(noticed.stderr).toMatch(
      /hint: .*queue them again; .*ledger resolve ID --paid --ref R; .*ledger resolve ID --refused --reason …;/,
    );
    expect(await shop.settleLater(...more)).toMatchObject({ exitCode: 0, stderr: 'no rewards to settle\n' });
    expect(await shop.inStatus()).toMatchObject({ count: 3, rewardIds: shop.left });
    const { stdout } = await shop.run('ledger status -o table');
    expect(stdout).toContain(`unpaid and no longer QUEUED: ${shop.left.join(', ')}\n`);
    expect(stdout).toMatch(/ledger resolve ID --refused --reason …/);
    expect(shop.paid()).toHaveLength(1);
  });

  it('are paid as usual if they are queued again', async () => {
    const shop = await openGivenUp();
    await shop.settleLater();
    setStatus(shop, shop.left, 'QUEUED');
    expectEnd(await shop.settle(0), 0);
    expect(shop.paid().toSorted()).toEqual([...shop.statuses().keys()].toSorted());
    expect([...new Set(shop.statuses().values())]).toEqual(['SUCCESS']);
    expect(await shop.inStatus()).toMatchObject({ count: 0 });
  });
});

describe('rewards that the service gave up', () => {
  it('are named by a dry run and by a plan, which record nothing', async () => {
    const shop = await openGivenUp();
    for (const more of [['--dry-run'], ['--dry-run'], ['--plan-out', join(shop.folder, 'today.plan')]]) {
      const shown = expectEnd(await shop.settleLater(...more), 6);
      expect(vanishedIn(shown)).toEqual(shop.left);
    }
    expect(await shop.inStatus()).toMatchObject({ count: 0 });
    expectEnd(await shop.settle(0), 6);
    expectEnd(await shop.settle(0, '--dry-run'), 0);
  });

  it('are named by a run of a plan, each once, whether planned or not', async () => {
    const shop = await openGivenUp({ as: 'QUEUED' });
    const plan = join(shop.folder, 'today.plan');
    setStatus(shop, shop.left.slice(1), 'FAILURE');
    await shop.settle(0, `--plan-out ${plan}`);
    setStatus(shop, shop.left, 'FAILURE');
    const settled = expectEnd(await shop.settleLater(`--plan ${plan}`), 6);
    expect(
      records(settled.stdout)
        .map(({ rewardId }) => String(rewardId))
        .toSorted(),
    ).toEqual(shop.left);
    expect(vanishedIn(settled)).toEqual(expect.arrayContaining(shop.left.slice(1)));
    expect(shop.paid()).toHaveLength(1);
  });

  it('are named by an export, whose file holds those that wait', async () => {
    const shop = await openGivenUp();
    setStatus(shop, [shop.first], 'QUEUED');
    const file = join(shop.folder, 'batch.csv');
    const exported = expectEnd(await shop.run(`rewards export ${file}`), 6);
    expect(vanishedIn(exported)).toEqual(shop.left.slice(1));
    expect(readFileSync(file, 'utf8')).toContain(shop.first);
    expect(await shop.inStatus()).toMatchObject({ count: 2 });
  });

  it('are named as unknown alone if a call may have paid them', async () => {
    const shop = await openGivenUp();
    setStatus(shop, shop.left, 'QUEUED');
    expectEnd(await shop.settle(3), 11);
    setStatus(shop, shop.left, 'FAILURE');
    const settled = expectEnd(await shop.settle(3), 11);
    expect(vanishedIn(settled)).toEqual([]);
    expect(settled.stderr.match(/^warning: .*/gm)).toEqual([
      expect.stringContaining('3 rewards may or may not be paid'),
    ]);
  });
});

describe('what a person decides about a reward that the service gave up', () => {
  it.each([
    ['any', ['--refused', '--reason', 'left'], 0, 'CANCELLED'],
    ['any', ['--paid', '--ref', 'R1'], 0, 'SUCCESS'],
    // A service that changes QUEUED rewards only.
    ['from-queued', ['--refused', '--reason', 'left'], 0, 'FAILURE'],
    ['from-queued', ['--paid', '--ref', 'R1'], 6, 'FAILURE'],
  ] as const)(
    'is reported, and ends its mention: %s %s',
    async (rewardTransitions, outcome, code, status) => {
      const shop = await openGivenUp({ options: { assumptions: { rewardTransitions } } });
      await shop.settle(0);
      const resolve = `ledger resolve ${shop.first} --yes`;
      expectEnd(await shop.run([resolve, ...outcome]), 0);
      expect(await shop.inStatus()).toMatchObject({ count: 2 });
      // A conflict is reported until a user accepts it.
      for (const _run of [1, 2]) expectEnd(await shop.settle(0), code);
      if (code === 6) await shop.run(`${resolve} --accepted --reason seen`);
      expect(await shop.settle(0)).toMatchObject({ exitCode: 0, stderr: 'no rewards to settle\n' });
      expect(shop.statuses().get(shop.first)).toBe(status);
      expect(shop.paid()).toHaveLength(1);
      expectEnd(await shop.run('ledger verify'), 0);
    },
  );
});

describe('a list of QUEUED rewards', () => {
  it('whose pages shifted while it was read skips no reward', async () => {
    const shop = await openGivenUp({ as: 'QUEUED' });
    for (const id of shop.left.slice(1)) shop.proxy.hidden.add(id);
    const settled = await shop.settle(0);
    expect(vanishedIn(settled)).toEqual([]);
    expect(shop.paid().slice(1).toSorted()).toEqual(shop.left);
    expect(settled.exitCode).toBe(0);
  });

  it('is paid even if what vanished from it cannot be looked up', async () => {
    const shop = await openGivenUp();
    setStatus(shop, [shop.first], 'QUEUED');
    shop.proxy.isRefusing = (path) => path.includes('/rewards') && !path.includes('status=QUEUED');
    expectEnd(await shop.settleLater(), 5);
    expect(shop.paid().slice(1)).toEqual([shop.first]);
    shop.proxy.isRefusing = () => false;
    const noticed = expectEnd(await shop.settleLater(), 6);
    expect(vanishedIn(noticed)).toEqual(shop.left.slice(1));
  });
});

it.each<[string, (page: Page) => object]>([
  ['is counted, but not shown', (page) => ({ ...page, data: page.data.slice(1) })],
  ['has no id', ({ data, ...page }) => ({ ...page, totalCount: null, data: [{}, ...data.slice(1)] })],
])('a waiting reward that %s ends export and settle with 6, after the others', async (_, changed) => {
  const proxy = createProxy();
  const { run, settle, folder } = await openLedgerShop({}, proxy.standBefore);
  await run('ledger init');
  proxy.changed = changed as typeof proxy.changed;
  const said = 'error: listRewards: the service has more QUEUED rewards than it shows with an id';
  expectEnd(await run(['rewards export', join(folder, 'waiting.csv')]), 6, said);
  expect(existsSync(join(folder, 'waiting.csv'))).toBe(true);
  for (const flag of ['--dry-run', `--plan-out ${join(folder, 'november.plan')}`])
    expectEnd(await run(`rewards settle ${flag} -c payer-url=https://pay.example`), 6, said);
  expect(existsSync(join(folder, 'november.plan'))).toBe(true);
  expectEnd(await settle(0), 6, said);
  expect((await run('status -o json')).stdout).not.toContain('"message":"succeeded');
});
