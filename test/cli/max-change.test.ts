import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPlace, type Place, recordsIn } from './open-place.ts';
import { expectEnd, expectNothing } from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';

const numbers = Array.from({ length: 10 }, (_, index) => index + 1);

/** A shop whose service has ten pushed products. */
async function openCatalog(): Promise<Place> {
  const place = await openPlace();
  expectEnd(await push(place, (n) => [`P${n}`, `name ${n}`, 'false'], '--max-change 10%'), 0);
  return place;
}

type RowOf = (n: number) => readonly [originId: string, name: string, isReviewDisabled: string];

function push(place: Place, rowOf: RowOf, ...flags: readonly string[]) {
  const rows = numbers.map((n) => rowOf(n).join(','));
  const input = place.write('products.csv', ['originId,name,isReviewDisabled', ...rows]);
  return place.run([`products push ${input}`, ...flags]);
}

async function catalog({ run }: Place): Promise<Record<string, string>> {
  const listed = recordsIn(await run('products list'));
  return Object.fromEntries(
    listed.map(({ originId, name, isReviewDisabled }) => [originId, `${name} ${isReviewDisabled}`]),
  );
}

test('what is odd about the changes is named before anything is sent, and stops the push', async () => {
  const place = await openCatalog();
  const before = await catalog(place);
  const alike = push(place, (n) => [`P${n}`, '상품', 'false'], '--max-change 30%');
  expectNothing(
    await alike,
    7,
    'more than --max-change 30% allows',
    'all 10 changes of name set it to "상품"',
  );
  expect(await catalog(place)).toEqual(before);
});

const twoRenamed: RowOf = (n) => [`P${n}`, n < 3 ? `new ${n}` : `name ${n}`, 'false'];

test('a push within --max-change is sent, by share or by number', async () => {
  const place = await openCatalog();
  expectEnd(await push(place, twoRenamed, '--max-change 1'), 7);
  expectEnd(await push(place, twoRenamed, '--max-change 19.9%'), 7);
  const sent = await push(place, twoRenamed, '--max-change 20%');
  expect([sent.exitCode, sent.stderr]).toEqual([0, expect.stringContaining('2 updated, 8 unchanged')]);
});

test('a share is one of all that the service has, not of the records of a small file', async () => {
  const place = await openCatalog();
  const input = place.write('one.csv', ['originId,name', 'P1,renamed']);
  expectEnd(await place.run(`products push ${input} --max-change 10%`), 0);
});

test('a folder cannot lift what the profile allows to be changed', async () => {
  const place = await openCatalog();
  writeFileSync(join(place.folder, 'reviewctl.json'), '{"max-change": "100%"}');
  expectEnd(await push(place, twoRenamed), 2, 'max-change');
});

test('a dry run tells that --max-change would stop it; a plan is made all the same, and stopped when it is sent', async () => {
  const place = await openCatalog();
  const dry = await push(place, twoRenamed, '--max-change 10% --dry-run');
  expect([dry.exitCode, recordsIn(dry)]).toEqual([7, expect.objectContaining({ length: 10 })]);
  const plan = join(place.folder, 'shop.plan');
  expectEnd(await push(place, twoRenamed, `--max-change 10% --plan-out ${plan}`), 0);
  const send = `products push --plan ${plan} --max-change`;
  expectEnd(await place.run(`${send} 10%`), 7, `see each change: reviewctl plan show ${plan}; if all`);
  expectEnd(
    await push(place, twoRenamed, '--max-change 1% --limit 5 --resend all'),
    7,
    /see each change: reviewctl products push \S+ --limit 5 --resend all --dry-run --max-change 100%; if/,
  );
  expectEnd(await place.run(`${send} 20%`), 0);
});

test('a plan on a terminal says how many of its records are not listed', async () => {
  const place = await openPlace();
  const rows = Array.from({ length: 20 }, (_, index) => `P${index},name`);
  const input = place.write('products.csv', ['originId,name', ...rows]);
  const { shown } = await runOnTerminal(['products', 'push', input, '--plan-out', `${input}.plan`], {
    env: place.env,
  });
  expect(shown).toContain('10 products not listed here');
});

test('new categories are measured by the last push of them', async () => {
  const place = await openPlace();
  const file = (prefix: string) =>
    place.write('categories.csv', ['originId,name', ...numbers.map((n) => `${prefix}${n},name ${n}`)]);
  const send = (prefix: string) => place.run(['categories push', file(prefix), '--max-change 30%']);
  expectEnd(await send('C'), 0);
  expectEnd(await send('C'), 0);
  const renumbered = await send('NEW-');
  expect([renumbered.exitCode, renumbered.stderr]).toEqual([
    7,
    expect.stringContaining('none of the 10 ids is known'),
  ]);
});

/** The input for a push of ten records of a kind; the first ones differ from the service. */
interface Kind {
  readonly header: string;
  readonly row: (n: number, isNew: boolean) => string;
  readonly change: 'updated' | 'queued';
}

const kinds = {
  products: {
    header: 'originId,name',
    row: (n, isNew) => `P${n},${isNew ? 'new' : 'name'} ${n}`,
    change: 'updated',
  },
  categories: {
    header: 'originId,name',
    row: (n, isNew) => `${isNew ? 'NEW-' : ''}C${n},name ${n}`,
    change: 'queued',
  },
  orders: {
    header: 'originId,orderOriginId,productOriginId',
    row: (n, isNew) => `I${n},O${n},P${isNew ? 2 : 1}`,
    change: 'updated',
  },
  'order-items': {
    header: 'originId,orderOriginId,status',
    row: (n, isNew) => `I${n},O${n},${isNew ? 'CANCEL' : 'DELIVERED'}`,
    change: 'updated',
  },
} satisfies Record<string, Kind>;

const waiting = "--wait -c 'get-job=GET /admin/v2/job/{jobId}'";

/** Pushes ten records of a kind; returns the exit code and the count of each outcome. */
async function pushTen(place: Place, noun: keyof typeof kinds, changed: number, flags = '') {
  const { header, row }: Kind = kinds[noun];
  const input = place.write(`${noun}.csv`, [header, ...numbers.map((n) => row(n, n <= changed))]);
  const { exitCode, ...result } = await place.run(`${noun} push ${input} ${flags}`);
  const words = recordsIn({ exitCode, ...result }).map(({ outcome }) => outcome as string);
  const count = (word: string) => words.filter((one) => one === word).length;
  return [exitCode, Object.fromEntries([...new Set(words)].map((word) => [word, count(word)]))] as const;
}

test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  'a push of %s beyond --max-change sends nothing, and one within it sends all',
  async (noun) => {
    const place = await openPlace({ jobDelayMs: 0 });
    await pushTen(place, 'products', 0);
    await pushTen(place, 'orders', 0, waiting);
    if (noun !== 'orders') await pushTen(place, noun, 0);
    const [, all] = await pushTen(place, noun, 2, '--dry-run');
    expect(all).toMatchObject({ [kinds[noun].change]: 2 });
    expect(await pushTen(place, noun, 2, '--max-change 1')).toEqual([7, {}]);
    expect(await pushTen(place, noun, 2, '--max-change 1 --dry-run')).toEqual([7, all]);
    expect(await pushTen(place, noun, 2, '--max-change 50% --dry-run')).toEqual([0, all]);
    expect(await pushTen(place, noun, 2, '--max-change 50%')).toEqual([0, all]);
    const [, again] = await pushTen(place, noun, 2, '--max-change 50%');
    expect(again).not.toHaveProperty(kinds[noun].change);
  },
);

test('a change that waits for a group is judged, and sent, as the one push decides it', async () => {
  const place = await openCatalog();
  const input = place.write('products.csv', [
    'originId,name,groupName',
    ...['P1,name 1,Cups', 'NEW,name,Cups', 'P2,name 2,Cups'],
  ]);
  const push = async (flags: string) => recordsIn(await place.run(`products push ${input} ${flags}`));
  const foretold = await push('--dry-run');
  expect(foretold.map(({ outcome }) => outcome)).toEqual(['rejected', 'created', 'updated']);
  expect(await push('--max-change 50%')).toMatchObject([
    foretold[0],
    { outcome: 'created' },
    { outcome: 'updated' },
  ]);
});

test.each([
  ['y', 0, '2 updated, 8 unchanged'],
  ['n', 7, 'cancelled; nothing was sent'],
] as const)('on a terminal it asks: %s', async (answer, code, told) => {
  const place = await openCatalog();
  await push(place, twoRenamed, '--dry-run');
  const { exitCode, shown } = await runOnTerminal(['products', 'push', 'products.csv', '--max-change', '1'], {
    env: place.env,
    cwd: place.folder,
    columns: 60,
    answers: [['[y/N]', `${answer}\r`]],
  });
  expect(exitCode).toBe(code);
  expect(shown).toContain(told);
  expect(shown).toMatch(/\n.{1,53} \[y\/N\]/);
});
