import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseMoney } from '../../src/base/money.ts';
import { groupedMoney } from '../../src/output/terminal/totals.ts';
import { openPayingShop, records, relay } from './ledger-shop.ts';
import { recordsIn } from './open-place.ts';
import { expectEnd, expectNothing } from './run-cli.ts';

/** A shop with a ledger, and a file with a batch of all rewards. */
async function openBatch({ reviews = 12, more = [] as readonly string[] } = {}) {
  const shop = await openPayingShop({ reviews });
  const file = join(shop.folder, 'batch.csv');
  const exported = await shop.run([`rewards export ${file} --batch november`, ...more]);
  return { ...shop, file, exported };
}

/** Fills in outcomes of a file's payments, row by row; the last one applies to all further rows. */
function fillIn(file: string, outcomes: readonly string[]): string {
  const [header = '', ...rows] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const filled = rows.map((row, index) => row.replace(/,,,$/, `,${outcomes[index] ?? outcomes.at(-1)}`));
  const path = file.replace('.csv', '-filled.csv');
  writeFileSync(path, [header, ...filled, ''].join('\n'));
  return path;
}

const rowsOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').slice(1);

it('a batch holds every reward that may be paid, once, and none of guests', async () => {
  const { file, exported, memberRewards, run } = await openBatch();
  expect(exported.exitCode).toBe(0);
  const members = await memberRewards();
  expect(
    rowsOf(file)
      .map((row) => row.split(',')[1] ?? '')
      .toSorted(),
  ).toEqual(members.toSorted());
  expect(exported.stderr).toMatch(
    /^november, a new batch: if this is interrupted, continue with reviewctl rewards export .*batch\.csv --batch november\n/,
  );
  expectEnd(await run(`rewards export ${file}.2`), 0, /nothing to export: no file was written\n$/);
  expect(existsSync(`${file}.2`)).toBe(false);
});

it('the same batch is written again byte for byte, also after new rewards came and some of it was imported', async () => {
  const { file, run, served } = await openBatch();
  const before = readFileSync(file);
  await run(['rewards import', fillIn(file, ['paid,R1,', ',,'])]);
  served.sandbox.transact(({ state }) => {
    const [reward] = state.rewards.values();
    if (reward) state.rewards.put({ ...reward, id: 'R-new', status: 'QUEUED' });
  });
  const again = join(file, '..', 'again.csv');
  const { stderr } = expectEnd(await run(`rewards export ${again} --batch november`), 0);
  expect(readFileSync(again).equals(before)).toBe(true);
  expect(stderr).toMatch(/^november: if this/);
  expect(stderr).toMatch(
    /warning: the outcome of 1 payment in it is already known\nhint: do not pay these again/,
  );
});

it.each(['-', "''", 'new/'])('%s names no file, so nothing is claimed', async (path) => {
  const { run } = await openPayingShop();
  expectNothing(await run(`rewards export ${path}`), 2, 'error: a batch is written to a file\n');
  expect(recordsIn(await run('ledger status'))).toMatchObject([{ batches: [] }]);
});

it('a file that is there is never replaced', async () => {
  const { file, run } = await openBatch({ more: ['--max-count', '3'] });
  const said = (hint: string) =>
    `already exists, and someone may be paying from it\nhint: ${hint}, it is complete: `;
  expectEnd(await run(`rewards export ${file}`), 2, said('if it is a batch'));
  expectEnd(await run(`rewards export ${file} --batch december`), 2, said('if it is the file of december'));
  const filled = fillIn(file, ['paid,R1,']);
  const before = readFileSync(filled);
  expectEnd(await run(`rewards export ${filled} --batch november`), 2);
  expect(readFileSync(filled).equals(before)).toBe(true);
});

it('a file that appears while its rewards are claimed is not replaced', async () => {
  let file = '';
  const shop = await openPayingShop({}, (address) =>
    relay(address, (text, path) => {
      if (path.includes('QUEUED') && file !== '') writeFileSync(file, 'of another');
      return text;
    }),
  );
  file = join(shop.folder, 'batch.csv');
  const { stderr } = expectEnd(await shop.run(`rewards export ${file} --batch b`), 2);
  expect(stderr).toContain(
    'batch.csv was created meanwhile, and someone may be paying from it; b was not written\n' +
      'hint: to write it to a new file: reviewctl rewards export NEW.csv --batch b\n',
  );
  expect(readFileSync(file, 'utf8')).toBe('of another');
  expectEnd(await shop.run(`rewards export ${file}.2 --batch b`), 0);
  expect(rowsOf(`${file}.2`)).toHaveLength((await shop.memberRewards()).length);
});

it('caps hold for a batch as for any payment, and what is left goes into the next', async () => {
  const { file, exported, run, memberRewards } = await openBatch({ more: ['--max-count', '3'] });
  expect(exported.exitCode).toBe(7);
  expect(rowsOf(file)).toHaveLength(3);
  await run(`rewards export ${file}.2`);
  const [first, second] = [rowsOf(file), rowsOf(`${file}.2`)];
  expect(new Set([...first, ...second]).size).toBe((await memberRewards()).length);
});

it('a frozen ledger hands nothing over', async () => {
  const shop = await openPayingShop();
  await shop.run("ledger freeze --reason 'an audit'");
  const file = join(shop.folder, 'batch.csv');
  expectEnd(
    await shop.run(`rewards export ${file}`),
    7,
    /error: the ledger is frozen: an audit; nothing was paid\nhint: .*ledger unfreeze/,
  );
  expect(existsSync(file)).toBe(false);
});

it('for a file that cannot be written nothing is claimed, and the batch can be written elsewhere', async () => {
  const shop = await openPayingShop();
  expectEnd(
    await shop.run('rewards export /nowhere/batch.csv --batch b'),
    2,
    /error: .*\/nowhere\/batch\.csv cannot be written: .*; nothing was handed over/,
  );
  expect(recordsIn(await shop.run('ledger list'))).toEqual([]);
  const file = join(shop.folder, 'batch.csv');
  expectEnd(await shop.run(`rewards export ${file} --batch b`), 0);
  expect(rowsOf(file).length).toBe((await shop.memberRewards()).length);
});

it('what came of a batch is noted and told once; the same file again changes nothing', async () => {
  const { file, run, statuses } = await openBatch();
  const filled = fillIn(file, ['paid,R1,', 'refused,,no such member', 'PAID,R3,']);
  const { exitCode, stdout } = await run(`rewards import ${filled}`);
  expect(exitCode).toBe(6);
  const told = records(stdout);
  expect(told.slice(0, 2)).toMatchObject([
    { outcome: 'paid', report: 'confirmed', ref: 'R1' },
    { outcome: 'refused', report: 'confirmed', reason: 'no such member' },
  ]);
  expect(told.map(({ rewardId }) => statuses().get(String(rewardId)))).toEqual(
    told.map(({ outcome }) => (outcome === 'paid' ? 'SUCCESS' : 'CANCELLED')),
  );
  const events = async () => recordsIn(await run('ledger status'))[0]?.['events'];
  const before = await events();
  const again = await run(`rewards import ${filled}`);
  // The earlier refusals are not reported again.
  expect(exitCode).toBe(6);
  expect({ exitCode: again.exitCode, stdout: again.stdout }).toEqual({ exitCode: 0, stdout });
  expect(await events()).toBe(before);
});

it('a receipt other than the one on record is named, since the payment may have been made twice', async () => {
  const { file, run } = await openBatch();
  expectEnd(await run(['rewards import', fillIn(file, ['paid,T1,', 'paid,T2,', 'paid,,'])]), 0);
  const again = await run(['rewards import', fillIn(file, ['paid,U1,', 'paid,T2,', 'paid,U3,'])]);
  expectEnd(again, 0, /warning: 1 payment was recorded earlier with another receipt, .* has T1, not U1\n/);
});

it('rows left open stay open, and are taken when they are filled in', async () => {
  const { file, run } = await openBatch();
  expectEnd(
    await run(['rewards import', fillIn(file, ['paid,R1,', ',,'])]),
    0,
    /\d+ payments of the file still open: fill in their outcome and import it again\n$/,
  );
  expectEnd(
    await run(['rewards import', fillIn(file, ['paid,R1,'])]),
    0,
    'the receipt of an earlier payment',
  );
  const [status] = recordsIn(await run('ledger status'));
  expect(status).toMatchObject({ batches: [] });
  const asItWent = await run(`rewards import ${file}`);
  expect(asItWent).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('left open') });
});

it.each([
  ['as it was exported', 'batch.csv', (text: string) => text],
  ['of blanks', 'blanks.csv', (text: string) => text.replaceAll(/,,,$/gm, ', ,\t,')],
  ['of notes alone', 'notes.csv', (text: string) => text.replaceAll(/,,,$/gm, ',,R1,paid by Kim')],
])('a file %s has no outcome: it lists what is open, and ends with 6', async (_, name, textOf) => {
  const { file, run, write, memberRewards } = await openBatch();
  const path = write(name, textOf(readFileSync(file, 'utf8')));
  const { stderr } = expectNothing(await run(`rewards import ${path}`), 6);
  const [first, ...others] = rowsOf(file).map((row) => row.split(',')[1] ?? '');
  expect(1 + others.length).toBe((await memberRewards()).length);
  expect(stderr).toMatch(
    new RegExp(
      `warning: no row of \\S+ has an outcome; nothing was imported, and ${1 + others.length} payments \\(.+\\) of it ` +
        `are still open: ${first}, .*, …\nhint: fill in outcome \\(paid or refused\\), then: ` +
        `reviewctl rewards import ${path}\n`,
    ),
  );
  const [status] = recordsIn(await run('ledger status'));
  expect(status?.['states']).not.toContainEqual(expect.objectContaining({ payment: 'paid' }));
});

it.each([
  ['NDJSON', (rows: readonly string[]) => rows.join('\n')],
  ['JSON', (rows: readonly string[]) => `[${rows.join(',\n')}]`],
])('a receipt that is a number too long to be exact is refused in %s', async (_, textOf) => {
  const { file, run, write } = await openBatch();
  const withRef = (ref: string) =>
    rowsOf(file).map((row) => {
      const [key, , , amount] = row.split(',');
      return `{"key":"${key}","amount":"${amount}","outcome":"paid","ref":${ref}}`;
    });
  const rounded = await run(['rewards import', write('a.json', textOf(withRef('1234567890123456781')))]);
  expect({ exitCode: rounded.exitCode, stdout: rounded.stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(rounded.stderr).toMatch(
    /error: .*a\.json:1: ref: 1234567890123456800 is a JSON number, and may have lost digits\nhint: write the value in quotes/,
  );
  for (const ref of ['"1234567890123456781"', '4711']) {
    expectEnd(await run(['rewards import', write('b.json', textOf(withRef(ref)))]), 0);
  }
});

it('a file without some of its batch says what is still open, and ends with 6', async () => {
  const { file, folder, run, write } = await openBatch();
  const filled = readFileSync(fillIn(file, ['paid,R1,']), 'utf8')
    .trimEnd()
    .split('\n');
  const ids = filled.slice(1).map((row) => row.split(',')[1] ?? '');
  const open = filled.slice(3).reduce((sum, row) => sum + (parseMoney(row.split(',')[3] ?? '') ?? 0n), 0n);
  const partly = expectEnd(
    await run(['rewards import', write('partly.csv', `${filled.slice(0, 3).join('\n')}\n`)]),
    6,
  );
  expect(records(partly.stdout)).toHaveLength(2);
  expect(partly.stderr.replaceAll(/\S+partly/g, 'partly')).toContain(
    `warning: ${ids.length - 2} payments (${groupedMoney(open)}) of november are still open and not in partly.csv: ` +
      `${ids.slice(2, 7).join(', ')}, …\n` +
      'hint: import a file that has them; to write all of november again: reviewctl rewards export FILE --batch november\n',
  );
  expectEnd(await run(['rewards import', write('whole.csv', `${filled.join('\n')}\n`)]), 0);
  expectEnd(await run(['rewards import', join(folder, 'partly.csv')]), 0);
});

it.each([
  ['of no bytes', () => ''],
  ['with its header alone', (text: string) => `${text.split('\n')[0]}\n`],
])('a file %s takes nothing, names the batch that is open, and ends with 6', async (_name, textOf) => {
  const { file, run, write } = await openBatch();
  expectNothing(
    await run(['rewards import', write('empty.csv', textOf(readFileSync(file, 'utf8')))]),
    6,
    /warning: .*empty\.csv has no rows; nothing was imported\n/,
    /warning: \d+ payments \(.+\) of november are still open and not in .*empty\.csv: \d+/,
  );
});

it('another batch that is open does not concern a file that has all of its own', async () => {
  const { file, run } = await openBatch({ more: ['--max-count', '3'] });
  await run(`rewards export ${file}.2 --batch december`);
  const { stderr } = expectEnd(await run(['rewards import', fillIn(file, ['paid,R1,'])]), 0);
  expect(stderr.includes('december')).toBe(false);
});

it('a receipt that a spreadsheet has rounded is refused, and nothing of its file is taken', async () => {
  const { file, run } = await openBatch();
  expectNothing(
    await run(['rewards import', fillIn(file, ['paid,2.02611E+16,'])]),
    3,
    /filled\.csv:2: ref: '2\.02611E\+16': /,
  );
});

it('columns are known by their common names', async () => {
  const { file, run } = await openBatch();
  const filled = fillIn(file, ['paid,R1,']);
  const names = { '^key': '결제키', ',amount': ',금액', ',ref': ',거래번호' };
  const renamed = Object.entries(names).reduce(
    (text, [name, other]) => text.replace(new RegExp(name), other),
    readFileSync(filled, 'utf8'),
  );
  writeFileSync(filled, renamed);
  expect(records(expectEnd(await run(`rewards import ${filled}`), 0).stdout)[0]).toMatchObject({ ref: 'R1' });
});

it('one wrong row and nothing of a file is taken', async () => {
  const { file, run } = await openBatch();
  const filled = fillIn(file, ['paid,R1,']);
  writeFileSync(filled, readFileSync(filled, 'utf8').replace(/,(\d+),O/, ',1$1,O'));
  expectNothing(
    await run(`rewards import ${filled}`),
    3,
    /:2: amount: '\d+' is not the amount of this payment: reward \d+ is \d+/,
  );
  const [status] = recordsIn(await run('ledger status'));
  expect(status?.['states']).not.toContainEqual(expect.objectContaining({ payment: 'paid' }));
});

it('a row under the key of a payment that was found unpaid since is refused with what to do', async () => {
  const { file, run } = await openBatch();
  const [key = '', id = ''] = rowsOf(file)[0]?.split(',') ?? [];
  await run(`ledger resolve ${id} --not-paid --reason 'sent back' --yes`);
  expectNothing(
    await run(`rewards import ${fillIn(file, ['paid,R1,'])}`),
    3,
    `:2: key: ${key} is an earlier key of reward ${id}, which was recorded as not paid since`,
    `hint: if it was paid anyway: reviewctl ledger resolve ${id} --paid --ref …; if it is paid already, it was ` +
      'paid twice: ask the payer to reverse one; then remove the row',
  );
});

it('where a person pays, what a person resolves is continued by the command that is named', async () => {
  const { file, run, statuses } = await openBatch();
  const [paid = '', unpaid = ''] = rowsOf(file).map((row) => row.split(',')[1] ?? '');
  const resolve = async (finding: string, command: string) =>
    expectEnd(
      await run(`ledger resolve ${finding} --yes`),
      0,
      `; or, if a person pays: reviewctl ${command}\n`,
    );
  await resolve(`${paid} --paid --ref R`, 'rewards import FILE');
  await run(`rewards import ${file}`);
  expect(statuses().get(paid)).toBe('SUCCESS');
  await resolve(`${unpaid} --not-paid --reason no`, 'rewards export FILE');
  await run(`rewards export ${file}.2`);
  expect(rowsOf(`${file}.2`)).toEqual([expect.stringContaining(`,${unpaid},`)]);
});

it('a settlement leaves a batch to its person, and does not alarm for it', async () => {
  const { settle, paid, file } = await openBatch();
  const { stdout } = expectEnd(await settle(), 0);
  expect(paid()).toEqual([]);
  const handed = records(stdout).filter(({ outcome }) => outcome === 'waiting');
  expect(handed).toHaveLength(rowsOf(file).length);
  expect(handed[0]).toMatchObject({ reason: 'handed over in november; its outcome must be imported' });
});
