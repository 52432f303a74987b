import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BenchRun } from './bench-run.js';
import { concurrencyRows } from './concurrency-rows.js';
import { journalRows } from './journal-rows.js';
import { listRows } from './list-rows.js';
import { postgresRows } from './postgres-rows.js';
import { pushRows } from './push-rows.js';
import { settleRows } from './settle-rows.js';
import { startRows } from './start-rows.js';
import { lineOf, summarize, tableOf } from './summarize.js';
import { webhookRows } from './webhook-rows.js';

/*
 * npm run bench -- [ROW…] [--scale SHARE] [--pairs N] [--json FILE] [--list]
 *
 * Measures rows by name, or by the beginning of their names; without a name all of them, which takes a while. Figures
 * are ratios of alternating runs, so that machines can be compared; the median counts. A row above its goal is
 * reported, but is not an error, because the machine may be busy. --scale 0.1 makes inputs a tenth as large, for a
 * quick run; goals of memory and bytes then mean nothing.
 */

const killsRow = {
  name: 'kills',
  title: 'killed at any instant, nothing is sent twice or silently missing',
  goal: 0,
  run: () => ({ skipped: 'a campaign of its own: npm run campaign -- push --kills 200 --seed 7' }),
};
const rows = [
  ...pushRows,
  ...journalRows,
  ...concurrencyRows,
  killsRow,
  ...listRows,
  ...settleRows,
  ...postgresRows,
  ...webhookRows,
  ...startRows,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: '1' },
    pairs: { type: 'string', default: '5' },
    json: { type: 'string', default: 'bench.json' },
    list: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !rows.some((row) => row.name.startsWith(name)));
if (unknown.length > 0) {
  process.stderr.write(`no row is named ${unknown.join(', ')}; --list shows them all\n`);
  process.exitCode = 2;
} else if (values.list) {
  for (const { name, title } of rows) process.stdout.write(`${name}: ${title}\n`);
} else {
  const isWanted = ({ name }) =>
    positionals.length === 0 || positionals.some((start) => name.startsWith(start));
  await bench(rows.filter(isWanted));
}

async function bench(wanted) {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopping.abort());
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-bench-'));
  const [scale, pairs] = [Number(values.scale), Number(values.pairs)];
  const summaries = [];
  try {
    const run = new BenchRun({ folder, scale, pairs, signal: stopping.signal });
    if (scale !== 1) process.stdout.write(`inputs ${scale} times as large as named\n`);
    for (const row of wanted) {
      const summary = await measure(row, run, stopping.signal);
      if (stopping.signal.aborted) break;
      summaries.push(summary);
      process.stdout.write(`${lineOf(summary)}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (stopping.signal.aborted) process.exitCode = 130;
  else tellEnd(summaries, { scale, pairs });
}

/** A row that fails does not prevent the others. */
async function measure(row, run, stopping) {
  try {
    return summarize(row, await row.run(run));
  } catch (error) {
    if (!stopping.aborted) process.exitCode = 1;
    return { name: row.name, title: row.title, goal: row.goal, skipped: `it failed: ${error.message}` };
  }
}

function tellEnd(summaries, how) {
  writeFileSync(values.json, `${JSON.stringify({ ...how, rows: summaries }, undefined, 2)}\n`);
  const measured = summaries.filter(({ skipped }) => skipped === undefined);
  const above = measured.filter(({ isWithin }) => !isWithin).length;
  process.stdout.write(`\n${tableOf(summaries)}\n`);
  process.stdout.write(`${above} of ${measured.length} rows above their goal; figures in ${values.json}\n`);
}
