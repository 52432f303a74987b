import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { cleanEnvironment, runCli } from '../cli/run-cli.ts';
import { runInProcess } from '../cli/run-program.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { createProduct } from './kill-round.ts';

/** A sandbox with product P1 that accepts repetitions, and a folder with `items.csv` of these rows (item, product). */
export async function openPushPlace(rows: readonly string[]) {
  const folder = temporaryFolder();
  const served = await serveSandbox({ port: 0, assumptions: { duplicateOriginId: 'accept' }, jobDelayMs: 0 });
  onTestFinished(() => served.close());
  const env = {
    ...cleanEnvironment(folder),
    REVIEWCTL_BASE_URL: served.baseUrl,
    REVIEWCTL_TOKEN: served.token,
  };
  const items = rows.map((row, index) => `O${index},${row}`);
  const path = join(folder, 'items.csv');
  writeFileSync(path, `orderOriginId,originId,productOriginId\n${items.join('\n')}\n`);
  await createProduct(served);
  return {
    served,
    path,
    /** Runs the program in this process. */
    run: (words: readonly string[]) => runInProcess(words, { env, cwd: folder }),
    /** Runs the built program as a process. */
    runBuilt: (words: readonly string[], more: Readonly<Record<string, string>>) =>
      runCli(words, { env: { ...env, ...more }, cwd: folder }),
  };
}

/** Kills the program at one of the steps around its commits, counted from 1. */
export function killingAt(step: number): Readonly<Record<string, string>> {
  return { ...sqliteStandIn('killing-sqlite.cjs'), KILL_AT: `${step}` };
}

/** The environment that replaces SQLite in the program by a module of this folder. */
export function sqliteStandIn(name: string): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: `--require=${join(import.meta.dirname, '../bench/sqlite-hook.cjs')}`,
    SQLITE_STAND_IN: join(import.meta.dirname, name),
  };
}
