import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openPlace, type Place } from './open-place.ts';
import { runCli } from './run-cli.ts';

const preload = join(import.meta.dirname, 'kill-at-rename.cjs');

/** Renames a profile to `mall` in a process that is killed where `killAt` says; whether it came so far. */
export async function renameAndDie(env: Place['env'], from: string, killAt: string): Promise<boolean> {
  const killed = { ...env, NODE_OPTIONS: `--require ${preload}`, KILL_AT: killAt };
  const { exitCode } = await runCli(['profile', 'rename', from, 'mall'], { env: killed });
  return exitCode === null;
}

/**
 * Pushes a file, renames its profile in a process that is killed, and pushes again, under the old name and without one:
 * nothing is sent again. The name that the profile has in the end; undefined where the renaming was not killed.
 */
export async function pushAfterKill(killAt: string): Promise<string | undefined> {
  const { run, sandbox, env, write } = await openPlace();
  const file = write('items.csv', ['orderOriginId,originId,productOriginId', 'O1,O1-1,P1']);
  const push = (...flags: string[]) => run(['orders', 'push', file, ...flags]);
  await run(['config', 'set', 'rate', '7', '--profile', 'shop']);
  await run(['profile', 'use', 'shop']);
  await push();
  if (!(await renameAndDie(env, 'shop', killAt))) return undefined;
  const [named, unnamed] = [await push('--profile', 'shop'), await push()];
  const sent = sandbox.sandbox.activityLog.calls['bulkCreateOrderItems']?.received;
  expect({ sent, unnamed: unnamed.exitCode }, killAt).toEqual({ sent: 1, unnamed: 0 });
  const config = JSON.parse(readFileSync(join(env['REVIEWCTL_CONFIG_DIR'] ?? '', 'config.json'), 'utf8'));
  const name = String(config.current);
  expect(named.exitCode, killAt).toBe(name === 'shop' ? 0 : 2);
  expect(config, killAt).toEqual({ current: name, profiles: { [name]: { rate: '7' } } });
  const states = ['shop', 'mall'].filter((one) => existsSync(join(env['REVIEWCTL_STATE_DIR'] ?? '', one)));
  expect(states, killAt).toEqual([name]);
  return name;
}
