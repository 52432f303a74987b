import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkedPage } from '../output/check-page.ts';
import { type Element, elementsNamed, tableRows, textIn } from '../output/parse-html.ts';
import { openLedgerShop } from './ledger-shop.ts';
import { recordsIn } from './open-place.ts';
import { expectEnd } from './run-cli.ts';

function rowsOf(page: Element, caption: string): readonly (readonly string[])[] {
  const tables = elementsNamed(page, 'table');
  const table = tables.find((one) => elementsNamed(one, 'caption').some((text) => textIn(text) === caption));
  return table === undefined ? [] : tableRows(table).slice(1);
}

const number = (text = '') => Number(text.replaceAll(',', ''));

test('before the first settlement, status and report say that no reward was read, and name the command that does', async () => {
  const shop = await openLedgerShop({ reviews: 2 });
  await shop.run('ledger init --yes');
  const out = join(shop.folder, 'ledger.html');
  expectEnd(await shop.run(`report ledger --out ${out}`), 0);
  const page = checkedPage(readFileSync(out, 'utf8'));
  expect(textIn(page)).toContain('Not known yet: no settlement has read the rewards.');
  expect(elementsNamed(page, 'code').map(textIn).join('\n')).toContain(
    'reviewctl rewards settle --payer-command /path/to/program --dry-run',
  );
  const { stdout } = await shop.run('ledger status -o table');
  expect(stdout).toContain(
    'next      to see what would be paid: reviewctl rewards settle --payer-command /path/to/program --dry-run',
  );
});

test('the page of a month shows what status and export show: paid by day, refused, held, unknown by age and the cap', async () => {
  const shop = await openLedgerShop({ reviews: 12 });
  await shop.run('ledger init --yes');
  await shop.settle(0, '--max-count 2');
  await shop.settle(10, '--max-count 1');
  await shop.settle(1, '--max-count 1');
  const [status = {}] = recordsIn(await shop.run('ledger status'));
  const states = status['states'] as readonly {
    readonly payment: string;
    readonly count: number;
    readonly amount: number;
  }[];
  const sum = (payment: string, of: 'count' | 'amount') =>
    states.filter((state) => state.payment === payment).reduce((total, state) => total + state[of], 0);
  const out = join(shop.folder, 'ledger.html');
  const argv = [`report ledger -c max-amount-per-day=100000 --out ${out}`];
  const written = await shop.run(argv);
  expect(written).toMatchObject({ exitCode: 0, stdout: '', stderr: `report written to ${out}\n` });
  const page = checkedPage(readFileSync(out, 'utf8'));
  const today = rowsOf(page, 'Amounts by day').at(-1) ?? [];
  expect(today.slice(1, 5).map(number)).toEqual([
    sum('paid', 'count'),
    sum('paid', 'amount'),
    sum('refused', 'amount'),
    sum('unknown', 'amount'),
  ]);
  expect(today.at(-1)).toBe(`${(sum('paid', 'amount') + sum('unknown', 'amount')) / 1000} %`);
  const waiting = rowsOf(page, 'Rewards that are not paid, by what is missing');
  expect(waiting.reduce((total, [, count]) => total + number(count), 0)).toBe(sum('intended', 'count'));
  expect(waiting.map(([reason]) => reason)).toContain('waits for the next settlement');
  expect(
    rowsOf(page, 'Payments with an unknown outcome, the oldest first').map(([age, amount]) => [
      age,
      number(amount),
    ]),
  ).toEqual([['less than a minute', sum('unknown', 'amount')]]);
  expect(elementsNamed(page, 'code').map(textIn)).toContain('reviewctl ledger list --payment unknown');

  const [unknown = ''] = (await shop.run('ledger list --payment unknown -o ids')).stdout.trim().split('\n');
  expect(textIn(page)).not.toContain(unknown);
  await shop.run([...argv, '--with-ids --overwrite']);
  expect(textIn(checkedPage(readFileSync(out, 'utf8')))).toContain(unknown);
});

test('a month without payments, and a ledger without a cap, are told in a sentence', async () => {
  const shop = await openLedgerShop({ reviews: 3 });
  await shop.run('ledger init --yes');
  const { stdout } = expectEnd(await shop.run('report ledger --month 2020-02 --out -'), 0);
  const page = checkedPage(stdout);
  expect(rowsOf(page, 'Amounts by day')).toHaveLength(29);
  expect(textIn(page)).toContain('No cap is set for this profile');
  expect(textIn(page)).toContain('No payment has an unknown outcome.');
  expectEnd(await shop.run('report ledger --month 2020-13'), 2, '2020-13');
});
