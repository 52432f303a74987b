import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLedgerShop } from './ledger-shop.ts';
import { recordsIn } from './open-place.ts';

type Value = Readonly<Record<string, unknown>> | readonly unknown[];

const moneyNames = new Set(['amount', 'ledgerAmount', 'otherAmount', 'cap']);

/** Every amount at any depth of a printed value. */
function amountsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Value).flatMap(([name, field]) =>
    moneyNames.has(name) ? [field] : amountsIn(field),
  );
}

const sum = (amounts: readonly unknown[]) =>
  amounts.reduce<number>((total, one) => total + (one as number), 0);

it('every amount printed as JSON is a number, and the amounts of a run add up to what the ledger says was spent', async () => {
  const { run, settle, folder, write } = await openLedgerShop();
  const listed = recordsIn(await run('rewards list -o ndjson'));
  const init = await run('ledger init -o json');
  const batch = join(folder, 'batch.csv');
  const exported = await run(`rewards export ${batch} --max-count 2 -o json`);
  const filled = write('filled.csv', readFileSync(batch, 'utf8').replaceAll(/,,,$/gm, ',paid,,'));
  const planned = await settle(0, '--dry-run -o json');
  const settled = await settle(0, '-o json');
  const paid = (JSON.parse(settled.stdout) as readonly Readonly<Record<string, unknown>>[]).filter(
    ({ outcome }) => outcome === 'paid',
  );
  const cap = '-c max-amount-per-day=1000000';
  const status = await run(`ledger status -o json ${cap}`);
  const [{ today } = { today: undefined }] = JSON.parse(status.stdout) as readonly {
    readonly today?: { readonly spent: { readonly amount: number } };
  }[];
  expect(sum(paid.map(({ amount }) => amount))).toBe(today?.spent.amount);
  const statement = write('statement.csv', `rewardId,amount\n${String(paid[0]?.['rewardId'])},0.5\n`);
  const printed = {
    init,
    exported,
    planned,
    settled,
    status,
    list: await run('ledger list -o json'),
    show: await run(['ledger show', String(paid[0]?.['rewardId']), '-o json']),
    reconciled: await run(`ledger reconcile --payer-statement ${statement} -o json`),
    imported: await run(`rewards import ${filled} -o json`),
  };
  for (const [name, { stdout }] of Object.entries(printed)) {
    const amounts = amountsIn(JSON.parse(stdout)).filter((amount) => amount !== null);
    const kinds = [...new Set(amounts.map((amount) => typeof amount))];
    expect({ name, kinds }).toEqual({ name, kinds: ['number'] });
  }
  expect(sum(amountsIn(JSON.parse(printed.list.stdout)))).toBe(sum(listed.map(({ amount }) => amount)));
});
