import { describe, expect, it } from 'vitest';
import { type PersonaName, personaNames, personas, sandboxAs } from '../../src/sandbox/personas.ts';
import type { StoredProduct } from '../../src/sandbox/state/records.ts';
import type { State } from '../../src/sandbox/state/state.ts';
import { assumptionVariables } from '../assumption-variables.ts';
import { SkippingClock } from '../client/skipping-clock.ts';
import { openLedgerShop, records } from './ledger-shop.ts';
import { expectEnd } from './run-cli.ts';

/*
 * A day's work against services that interpret the API document differently. Checks the data of the service, never the
 * program's own output.
 */

/** Longer than the delays of jobs and lists in any persona, in milliseconds. */
const laterMs = 60_000;

/**
 * A shop of this persona, and the program with the assumptions of `client`. They share a clock on which waiting takes
 * no time.
 */
async function openShop(persona: PersonaName, client: readonly string[] = personas[persona].client) {
  const clock = new SkippingClock();
  const shop = await openLedgerShop(sandboxAs(persona, { clock, reviews: 24 }));
  const env = { ...shop.env, ...assumptionVariables(client) };
  return {
    ...shop,
    cli: (line: string, stdin = '') => shop.run(line, { clock, env, stdin }),
    /** Reads the data of the service after all its jobs are done. */
    held: async <T>(look: (world: State) => T): Promise<T> => {
      await clock.sleep(laterMs);
      return shop.served.sandbox.transact(({ state }) => structuredClone(look(state)));
    },
  };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

const products = (world: State) => [...world.products.values()];

/** The originIds of all pushed records, by kind. */
const originIdsOf = (world: State) => [
  products(world).map(({ originId }) => originId),
  [...world.categories.values()].map(({ originId }) => originId),
  [...world.orderItems.values()].map(({ originId }) => originId),
];

function expectNothingTwice(held: readonly (readonly string[])[]): void {
  for (const originIds of held) expect(originIds).toEqual([...new Set(originIds)]);
}

const newIds = ['N1', 'N,2', 'N&3', '0004'];

/** A file with a new name for every existing product, and with new products. */
function renamed(before: readonly StoredProduct[]): string {
  const rows = [...before.map(({ originId }) => originId), ...newIds].map((id) => `"${id}",새 이름`);
  return `originId,name\n${rows.join('\n')}\n`;
}

/** Sets flags of products to other values than the defaults, so that a reset is detected. */
function withFlags({ served }: Shop): void {
  served.sandbox.transact(({ state }) => {
    for (const product of products(state)) {
      state.products.put({ ...product, isAlimtalkEnabled: false, isReviewDisabled: true });
    }
  });
}

/** The products of `before` with a change other than the name. */
function changedUnasked(
  before: readonly StoredProduct[],
  after: readonly StoredProduct[],
): readonly string[] {
  const now = new Map(after.map((product) => [product.id, product]));
  const asked = (product: StoredProduct | undefined) => JSON.stringify({ ...product, name: '' });
  return before.filter((one) => asked(one) !== asked(now.get(one.id))).map(({ originId }) => originId);
}

describe.each(personaNames)('with a service like %s, told what it has to be told,', (persona) => {
  it('what is pushed is there once and nothing else is changed, however often it is pushed', async () => {
    const shop = await openShop(persona);
    withFlags(shop);
    const before = await shop.held(products);
    const catalog = renamed(before);
    const categories = 'originId,name\nC1,잔\n"C,2",컵\n';
    const orders = `orderOriginId,originId,productOriginId\nX1,X1-1,${before[0]?.originId}\nX1,"X1,2",N1\n`;
    for (const isAgain of [false, true, true]) {
      const pushes = [
        await shop.cli('products push -', catalog),
        await shop.cli('categories push -', categories),
        await shop.cli('orders push -', orders),
      ];
      expect(pushes.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
        pushes.map(({ stderr }) => ({ exitCode: 0, stderr })),
      );
      const outcomes = pushes.flatMap(({ stdout }) => records(stdout)).map(({ outcome }) => String(outcome));
      const made = outcomes.filter((outcome) => !['unchanged', 'skipped'].includes(outcome));
      expect(made).toHaveLength(isAgain ? 0 : before.length + newIds.length + 4);
    }
    const after = await shop.held(products);
    expectNothingTwice(await shop.held(originIdsOf));
    expect(after).toHaveLength(before.length + newIds.length);
    expect(new Set(after.map(({ name }) => name))).toEqual(new Set(['새 이름']));
    expect(changedUnasked(before, after)).toEqual([]);
    const [, categoryIds, itemIds] = await shop.held(originIdsOf);
    expect(categoryIds).toEqual(expect.arrayContaining(['C1', 'C,2']));
    expect(itemIds).toEqual(expect.arrayContaining(['X1-1', 'X1,2']));
  });
});

describe.each(personaNames)('with a service like %s, told the same,', (persona) => {
  it('lists show what the service holds, and what was asked for alone', async () => {
    const shop = await openShop(persona);
    const ids = async (line: string) => (await shop.cli(`${line} -o ids`)).stdout.split('\n').slice(0, -1);
    const reviews = await shop.held(({ reviews }) => [...reviews.values()]);
    const rewards = await shop.held(({ rewards }) => [...rewards.values()]);
    const idsOf = (held: readonly { readonly id: string }[]) => held.map(({ id }) => id).toSorted();
    expect((await ids('reviews list -c page-size=7')).toSorted()).toEqual(idsOf(reviews));
    expect((await ids('reviews list --ratings 4,5')).toSorted()).toEqual(
      idsOf(reviews.filter(({ rating }) => rating >= 4)),
    );
    for (const status of ['QUEUED', 'SUCCESS', 'UNAPPROVED']) {
      const listed = await ids(`rewards list --status ${status}`);
      expect(listed.toSorted()).toEqual(idsOf(rewards.filter((reward) => reward.status === status)));
      expect(listed.length).toBeGreaterThan(0);
    }
  });

  it('what a list prints as CSV is pushed back as it is, and changes nothing', async () => {
    const shop = await openShop(persona);
    withFlags(shop);
    const before = await shop.held(products);
    const { stdout } = await shop.cli('products list -o csv');
    const pushed = await shop.cli('products push -', stdout);
    expect(records(pushed.stdout).map(({ outcome }) => outcome)).toEqual(before.map(() => 'unchanged'));
    expect(await shop.held(products)).toEqual(before);
  });

  it('each reward that waits is paid once and told, and no other is touched', async () => {
    const shop = await openShop(persona);
    const before = await shop.held(({ rewards }) => [...rewards.values()]);
    const payable = await shop.held((world) =>
      [...world.rewards.values()]
        .filter(({ status }) => status === 'QUEUED')
        .filter(({ orderItemId }) => {
          const orderId = world.orderItems.get(orderItemId)?.orderId ?? '';
          return world.orders.get(orderId)?.memberOriginId !== null;
        })
        .map(({ id }) => id),
    );
    expectEnd(await shop.cli('ledger init'), 0);
    shop.write('exit-code', '0');
    for (let run = 0; run < 2; run += 1) {
      expectEnd(await shop.cli(`rewards settle ${shop.payer}`), 0);
    }
    expect(shop.paid().toSorted()).toEqual(payable.toSorted());
    const after = await shop.held(({ rewards }) => [...rewards.values()]);
    const isPaid = new Set(payable);
    expect(after.map(({ id, status }) => [id, status])).toEqual(
      before.map(({ id, status }) => [id, isPaid.has(id) ? 'SUCCESS' : status]),
    );
  });
});

describe.each(personaNames)('with a service like %s, told nothing of it,', (persona) => {
  it('a push creates nothing twice, and reports what it changed unasked', async () => {
    const shop = await openShop(persona, []);
    withFlags(shop);
    const before = await shop.held(products);
    const pushes = [
      await shop.cli('products push -', renamed(before)),
      await shop.cli('products push -', renamed(before)),
    ];
    expectNothingTwice(await shop.held(originIdsOf));
    const said = pushes.map(({ stdout, stderr }) => stdout + stderr).join('');
    for (const originId of changedUnasked(before, await shop.held(products)))
      expect(said).toContain(originId);
    const isToBeTold = personas[persona].client.length > 0;
    expect(pushes.map(({ exitCode }) => exitCode)).toEqual(isToBeTold ? [6, 6] : [0, 0]);
  });
});
