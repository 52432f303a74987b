import { spawnSync } from 'node:child_process';
import { formatMoney, type Money, parseMoney } from '../../src/base/money.ts';

/** What each account of a journal holds, by a reader that shares no code with its writer. */
export function balanceOf(journal: string): Readonly<Record<string, string>> {
  const sums = new Map<string, Money>();
  const known = new Set([...journal.matchAll(/^account (\S+)$/gm)].map(([, account]) => account));
  for (const transaction of journal.split(/\n{2,}/).filter((text) => /^\d/.test(text))) {
    const [head = '', ...postings] = transaction.trimEnd().split('\n');
    if (!/^\d{4}-\d\d-\d\d \S[^;]*?( {2}; [^;[\]]*)?$/.test(head)) throw new Error(`no head: ${head}`);
    let total = 0n;
    for (const posting of postings) {
      const [, account = '', written = ''] = /^ {4}(\S+) {2,}(-?[\d.]+)$/.exec(posting) ?? [];
      const amount = parseMoney(written);
      if (amount === undefined || !known.has(account)) throw new Error(`no posting: ${posting}`);
      sums.set(account, (sums.get(account) ?? 0n) + amount);
      total += amount;
    }
    if (total !== 0n || postings.length !== 2) throw new Error(`not balanced: ${transaction}`);
  }
  return inWords(sums);
}

/** The same as hledger sees it, which also checks the journal; undefined where it is not installed. */
export function hledgerBalance(path: string): Readonly<Record<string, string>> | undefined {
  if (spawnSync('hledger', ['--version']).status !== 0) return undefined;
  hledger(path, 'check', 'accounts', 'ordereddates');
  const rows = hledger(path, 'balance', '--flat', '--no-total', '--output-format', 'csv')
    .trim()
    .split('\n')
    .slice(1);
  return inWords(
    new Map(rows.map((row) => row.split(',').map((cell) => cell.replaceAll('"', ''))).map(readBalance)),
  );
}

function readBalance([account = '', balance = '']: readonly string[]): [string, Money] {
  const amount = parseMoney(balance);
  if (amount === undefined) throw new Error(`no amount: ${balance}`);
  return [account, amount];
}

function hledger(path: string, ...command: readonly string[]): string {
  const env = { ...process.env, LANG: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync('hledger', ['-f', path, ...command], {
    encoding: 'utf8',
    env,
  });
  if (status !== 0) throw new Error(`hledger ${command.join(' ')}: ${stderr}`);
  return stdout;
}

function inWords(sums: ReadonlyMap<string, Money>): Readonly<Record<string, string>> {
  const entries = [...sums].filter(([, amount]) => amount !== 0n);
  return Object.fromEntries(
    entries
      .map(([account, amount]) => [account, formatMoney(amount)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
