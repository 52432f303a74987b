import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { findPostgres } from '../store/postgres-server.ts';
import { type CampaignRow, figuresTable, figuresVariable, missingFigure, readFigures } from './figures.ts';

/** Shares of the total time for the long campaigns. Each campaign ends by itself after its share. */
const shares: Readonly<Record<string, number>> = {
  push: 3,
  settle: 3,
  machines: 3,
  schedules: 2,
  power: 1,
  midnight: 1,
  model: 1,
  runtimes: 1,
  mutants: 4,
  fuzz: 3,
};

/** Programs that a campaign requires. Without them it is skipped, and the table says so. */
const needed: Readonly<Record<string, string>> = {
  machines: 'postgres',
  power: 'strace',
  midnight: 'faketime',
};

/** Options that make a campaign without its own time limit run until its share ends. */
const endless: Readonly<Record<string, readonly string[]>> = {
  push: ['--kills', '1000000'],
  // The third seed suspends processes.
  settle: ['--kills', '1000000', '--seed', '3'],
  machines: ['--rounds', '1000000'],
  power: ['--rounds', '1000000'],
  midnight: ['--rounds', '1000000'],
};
/** Mutants tested per minute, so that a sample finishes: if cut off, only cheap mutants would be tested. */
const mutantsPerMinute = 20;

/** The short version of each campaign, as run by `npm run campaign` without a name. They need no time share. */
const shortCampaigns = 'short versions';

/**
 * Runs every campaign, first all short versions, then the long ones for the rest of `minutes`, and prints their figures
 * in one table. With `chosen`, runs only these. Returns false if a promise was broken or a campaign failed.
 */
export async function allCampaign(minutes: number, chosen: readonly string[]): Promise<boolean> {
  const names = chosen.length > 0 ? chosen : Object.keys(shares);
  // Elsewhere, properties are tested with the same values every time.
  process.env['PROPERTY_SEED'] ??= String(randomInt(2 ** 31));
  console.log(`properties: PROPERTY_SEED=${process.env['PROPERTY_SEED']}`);
  const folder = mkdtempSync(join(tmpdir(), 'campaigns-'));
  const figuresPath = join(folder, 'figures');
  writeFileSync(figuresPath, '');
  try {
    const ends: Omit<CampaignRow, 'figures'>[] = [];
    const untilMs = systemClock.monotonicMs() + minutes * 60_000;
    if (chosen.length === 0)
      ends.push(await runCampaign(shortCampaigns, ['--', '--reporter=dot'], figuresPath));
    const runnable = names.filter((name) => missingProgram(name) === undefined);
    let parts = runnable.reduce((sum, name) => sum + (shares[name] ?? 0), 0);
    for (const name of runnable) {
      const share = shares[name] ?? 0;
      const leftMinutes = Math.max(0, untilMs - systemClock.monotonicMs()) / 60_000;
      const given = (leftMinutes * share) / parts;
      const words = [name, '--minutes', given.toFixed(2), ...boundOf(name, given)];
      ends.push(await runCampaign(name, words, figuresPath));
      parts -= share;
    }
    const left = names.flatMap((campaign) => {
      const missing = missingProgram(campaign);
      return missing === undefined ? [] : [{ campaign, missing }];
    });
    const rows = [...rowsOf(ends, figuresPath), ...left.map(notRun)];
    console.log(`\n${figuresTable(rows)}`);
    return rows.every(({ isSound }) => isSound);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function boundOf(name: string, minutes: number): readonly string[] {
  return name === 'mutants'
    ? ['--sample', String(Math.ceil(minutes * mutantsPerMinute))]
    : (endless[name] ?? []);
}

function missingProgram(campaign: string): string | undefined {
  const program = needed[campaign];
  return program === undefined || isInstalled(program) ? undefined : program;
}

/** The programs of a server may be outside the PATH. */
function isInstalled(program: string): boolean {
  if (program === 'postgres') return findPostgres() !== undefined;
  return spawnSync(program, ['--version']).error === undefined;
}

function notRun({ campaign, missing }: { readonly campaign: string; readonly missing: string }): CampaignRow {
  return { campaign, seconds: undefined, figures: {}, isSound: true, missing };
}

/** Short versions report under the name of the long one; some have none. */
function rowsOf(ends: readonly Omit<CampaignRow, 'figures'>[], figuresPath: string): readonly CampaignRow[] {
  const figures = readFigures(figuresPath);
  const known = new Set(ends.map(({ campaign }) => campaign));
  const others = [...figures.keys()].filter((campaign) => !known.has(campaign));
  const within = others.map((campaign) => ({ campaign, seconds: undefined, isSound: true }));
  return [...ends, ...within].map((end) => {
    const reported = figures.get(end.campaign) ?? {};
    const missing = missingFigure(end.campaign, reported);
    if (missing !== undefined) console.log(`${end.campaign} reports no ${missing}`);
    const isSound = end.isSound && missing === undefined && (reported.violations ?? 0) === 0;
    return { ...end, figures: reported, isSound };
  });
}

function runCampaign(
  campaign: string,
  words: readonly string[],
  figuresPath: string,
): Promise<Omit<CampaignRow, 'figures'>> {
  console.log(`\n${campaign}: npm run campaign -- ${words.filter((word) => word !== '--').join(' ')}`);
  const startMs = systemClock.monotonicMs();
  const child = spawn(process.execPath, ['test/campaign/campaign.js', ...words], {
    env: { ...process.env, [figuresVariable]: figuresPath },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve) => {
    child.once('close', (code) =>
      resolve({ campaign, seconds: (systemClock.monotonicMs() - startMs) / 1_000, isSound: code === 0 }),
    );
  });
}
