import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPlace, type Place, recordsIn } from './open-place.ts';
import { expectEnd, expectNothing, runShell } from './run-cli.ts';

const products = ['originId,name,isReviewDisabled', 'A,니트,false', 'B,치마,false'];
const changed = [
  'originId,name,isReviewDisabled',
  'A,니트 2,false',
  'B,치마,true',
  'N,모자,false',
  'M,가방,false',
];

/** Products A and B at the service, and a plan in shop.plan that changes both and creates two more. */
async function openWithPlan(): Promise<Place & { readonly plan: string; readonly input: string }> {
  const place = await openPlace();
  await place.run(['products push', place.write('products.csv', products)]);
  const input = place.write('changed.csv', changed);
  expectEnd(await place.run(`products push ${input} --plan-out shop.plan`), 0, '4 records, 4 to send');
  return { ...place, input, plan: join(place.folder, 'shop.plan') };
}

async function namesIn({ run }: Place): Promise<Record<string, string>> {
  const listed = recordsIn(await run('products list'));
  return Object.fromEntries(listed.map(({ originId, name }) => [originId, name]));
}

function words(result: Parameters<typeof recordsIn>[0]): Record<string, string> {
  return Object.fromEntries(recordsIn(result).map(({ originId, outcome }) => [originId, outcome]));
}

const send = ['products', 'push', '--plan', 'shop.plan'];

test('a plan is a file of its own for this user, holds no credential, and nothing is sent or recorded', async () => {
  const place = await openWithPlan();
  expect(statSync(place.plan).mode & 0o777).toBe(0o600);
  expect(readFileSync(place.plan, 'utf8')).not.toContain(place.sandbox.token);
  expect(await namesIn(place)).toEqual({ A: '니트', B: '치마' });
  expect(recordsIn(await place.run('runs list'))).toHaveLength(1);
  expectEnd(await place.run(`products push ${place.input} --plan-out shop.plan`), 2, 'never replaces a file');
});

test('plan show tells what was planned: counts, then from what to what', async () => {
  const { run } = await openWithPlan();
  const shown = await run('plan show shop.plan');
  expect(shown.stderr).toContain('4 records, 2 to create, 2 to update');
  expect(shown.stderr).toContain('no personal data');
  expect(recordsIn(shown)).toMatchObject([
    { originId: 'A', outcome: 'updated', changes: { name: { from: '니트', to: '니트 2' } } },
    { originId: 'B', outcome: 'updated', changes: { isReviewDisabled: { from: false, to: true } } },
    { originId: 'N', outcome: 'created', changes: { name: { from: null, to: '모자' } } },
    { originId: 'M', outcome: 'created' },
  ]);
  expect((await run('plan show shop.plan -o ids')).stdout).toBe('A\nB\nN\nM\n');
  expectEnd(await run('plan show shop.plan --fields nope'), 2);
});

test('a plan is sent as a run, once; a second time is refused with the run that sent it', async () => {
  const place = await openWithPlan();
  const sent = expectEnd(await place.run(send), 0);
  expect(words(sent)).toEqual({ A: 'updated', B: 'updated', N: 'created', M: 'created' });
  const [run] = recordsIn(await place.run('runs list'));
  expectNothing(await place.run(send), 7, `was already sent by run ${run.run}`);
  expect(readFileSync(place.plan, 'utf8')).toContain(`"id":"${run.plan}"`);
  await rename(place, 'A', '다른 이름');
  expectEnd(await place.run(send), 7);
  expect((await namesIn(place))['A']).toBe('다른 이름');
});

async function rename({ run }: Place, originId: string, name: string): Promise<void> {
  const { id } = recordsIn(await run('products list')).find((product) => product.originId === originId);
  expectEnd(await run(`products update ${id} --name '${name}'`), 0);
}

test('a canary of a plan says how to go on, and the same plan goes on with the rest', async () => {
  const place = await openWithPlan();
  const canary = await place.run([...send, '--limit 1']);
  expect([canary.exitCode, words(canary)]).toEqual([0, { A: 'updated' }]);
  expect(canary.stderr).toContain('3 records not attempted, because of --limit 1');
  expect(canary.stderr).toContain('reviewctl products push --plan shop.plan\n');
  const rest = await place.run([...send, '--limit 1']);
  expect([rest.exitCode, words(rest)]).toEqual([0, { A: 'unchanged', B: 'updated' }]);
  const last = await place.run([...send, '--max-change 2']);
  expect([last.exitCode, words(last)]).toEqual([
    0,
    { A: 'unchanged', B: 'unchanged', N: 'created', M: 'created' },
  ]);
  expectEnd(await place.run(send), 7);
});

test('a plan does not write again what was undone, even if only part of it was sent', async () => {
  const place = await openWithPlan();
  expectEnd(await place.run([...send, '--limit 1']), 0);
  expectEnd(await place.run('runs undo last'), 0);
  expectNothing(await place.run(send), 7, 'was ended by the undo');
  expect(await namesIn(place)).toEqual({ A: '니트', B: '치마' });
});

test('a plan goes on after an undo that could write nothing', async () => {
  const place = await openWithPlan();
  expectEnd(await place.run([...send, '--limit 1']), 0);
  const { faults } = place.sandbox.sandbox;
  faults.rates = { 'reset-before': 1 };
  expectEnd(await place.run('runs undo last -c outage-wait=0 -c retries=0'), 5);
  faults.rates = {};
  expectEnd(await place.run(send), 0);
});

test('a disk that is full ends a plan in words, and leaves no file', async () => {
  const place = await openPlace({ products: 0 });
  const rows = Array.from({ length: 1_000 }, (_, index) => `P${index},${'name '.repeat(30)}`);
  const input = place.write('many.csv', ['originId,name', ...rows]);
  const shell = `ulimit -f 128; reviewctl products push ${input} --plan-out many.plan -o none`;
  const { exitCode, stderr } = await runShell(shell, { env: place.env, cwd: place.folder });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining('many.plan cannot be written'),
  });
  expect(existsSync(join(place.folder, 'many.plan'))).toBe(false);
});

test('nobody is told to send again a plan of which every record was rejected', async () => {
  const place = await openPlace();
  await place.run(['products push', place.write('products.csv', products)]);
  const input = place.write('changed.csv', changed.slice(0, 2));
  expectEnd(await place.run(`products push ${input} --plan-out shop.plan`), 0);
  await rename(place, 'A', '다른 이름');
  expectEnd(await place.run(send), 6);
  const told = [await place.run('runs show last'), await place.run('status')];
  expect(told.map(({ stdout, stderr }) => stdout + stderr).join()).not.toMatch(/reviewctl .*--plan/);
});

test('a dry run of a plan tells what it would do now, and leaves it to be sent', async () => {
  const place = await openWithPlan();
  const dry = await place.run([...send, '--dry-run']);
  expect([dry.exitCode, Object.keys(words(dry))]).toEqual([0, ['A', 'B', 'N', 'M']]);
  expect((await namesIn(place))['A']).toBe('니트');
  expectEnd(await place.run(send), 0);
});

test('a plan that was edited is refused, and nothing is sent', async () => {
  const place = await openWithPlan();
  writeFileSync(place.plan, readFileSync(place.plan, 'utf8').replace('모자', '모래'));
  expectNothing(await place.run(send), 3, 'changed after it was made');
  expect(await namesIn(place)).toEqual({ A: '니트', B: '치마' });
});

test('a plan is sent with the journal, and to the service, profile and account, it was made for alone', async () => {
  const place = await openWithPlan();
  const other = await openPlace();
  expectEnd(
    await place.run([...send, `-c base-url=${other.sandbox.baseUrl}`]),
    7,
    'was made for the service',
  );
  const fresh = { ...place.env, REVIEWCTL_STATE_DIR: join(place.folder, 'fresh') };
  expectEnd(await place.run(send, { env: fresh }), 7, 'does not show which of its records were sent');
  const stateDir = place.env['REVIEWCTL_STATE_DIR'] ?? '';
  rmSync(join(stateDir, 'default', new URL(place.sandbox.baseUrl).host.replace(':', '_'), 'account'));
  expectEnd(
    await place.run(send, { env: { ...place.env, REVIEWCTL_TOKEN: 'second-key' } }),
    7,
    'credential of another account',
  );
  const { baseUrl, token } = place.sandbox;
  await place.run(`login --profile other --base-url ${baseUrl}`, { stdin: token });
  expectEnd(await place.run([...send, '--profile other']), 7, 'with the profile default');
  expect(await namesIn(place)).toEqual({ A: '니트', B: '치마' });
});

test('what a plan has settled is not taken from the command line again', async () => {
  const { input, run } = await openWithPlan();
  for (const more of [[input], ['--set name=x'], ['--on-existing skip'], ['--resend all']]) {
    expectEnd(await run([...send, ...more]), 2);
  }
  expectEnd(await run(`products push ${input} --plan-out part.plan --limit 1`), 2, '--plan FILE --limit 1');
  expect((await run('products push')).stderr).toContain("missing required argument 'file'");
});

test('a plan is sent as it was decided, whatever is set where it is sent', async () => {
  const place = await openPlace();
  await place.run(['products push', place.write('products.csv', products)]);
  const input = place.write('changed.csv', changed);
  await place.run(`products push ${input} --on-existing skip --plan-out shop.plan`);
  expect(words(await place.run(send))).toEqual({ A: 'skipped', B: 'skipped', N: 'created', M: 'created' });
});

test('records that stand on one line of a JSON file are planned and sent each by itself', async () => {
  const place = await openPlace();
  const input = place.write('products.json', [
    '[{"originId":"A","name":"니트"},{"originId":"B","name":"치마"},{"originId":"C","name":"바지"}]',
  ]);
  expectEnd(await place.run(`products push ${input} --plan-out shop.plan`), 0, '3 records, 3 to send');
  expect(words(await place.run(send))).toEqual({ A: 'created', B: 'created', C: 'created' });
});

test('no plan is made where an interruption or an error leaves records undecided', async () => {
  const place = await openPlace();
  const input = place.write('products.csv', products);
  await place.sandbox.close();
  expectEnd(
    await place.run(`products push ${input} --plan-out shop.plan -c retries=0`),
    5,
    'no plan was written',
  );
  expect(existsSync(join(place.folder, 'shop.plan'))).toBe(false);
});

test('a plan of orders lists the personal data in it', async () => {
  const place = await openPlace({ products: 1 });
  const input = place.write('orders.csv', [
    'orderOriginId,originId,productOriginId,orderedAt,memberOriginId,buyer.name',
    'O1,I1,P1,2026-11-01,M1,홍길동',
  ]);
  const whole = "-c 'create-orders=POST /admin/v2/orders/bulk'";
  const made = await place.run(`orders push ${input} ${whole} --plan-out whole.plan`);
  expect(made.stderr).toContain('personal data (memberOriginId, buyer.name');
  const without = '--without-order-fields --plan-out plain.plan';
  const plain = await place.run(`orders push ${input} ${without}`);
  expect(plain.stderr).toContain('it contains no personal data');
  expect(readFileSync(join(place.folder, 'plain.plan'), 'utf8')).not.toContain('홍길동');
  expect(words(await place.run('orders push --plan whole.plan'))).toEqual({ I1: 'queued' });
});
