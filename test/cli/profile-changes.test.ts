import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

/** A machine with these profiles and some state of each. */
function machine(config: object, profiles: readonly string[]) {
  const folder = temporaryFolder();
  const env = cleanEnvironment(folder);
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  const path = join(folder, 'config', 'config.json');
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  const state = (profile: string) => join(folder, 'state', profile);
  for (const profile of profiles) {
    mkdirSync(join(state(profile), 'shop.example'), { recursive: true });
    writeFileSync(join(state(profile), 'shop.example', 'account'), 'abc\n');
  }
  const run = (...argv: readonly string[]) => runInProcess(argv, { env, cwd: folder });
  const kept = () => JSON.parse(readFileSync(path, 'utf8')) as unknown;
  return { state, run, kept };
}

const two = { current: 'mall', profiles: { mall: { rate: '7', token: 'canary' }, fair: { rate: '5' } } };

describe('profile delete', () => {
  it('asks, and without a terminal or --yes deletes nothing', async () => {
    const { run, kept } = machine(two, ['mall']);
    expect(await run('profile delete mall')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Delete profile mall with its settings and its credential?') as string,
    });
    expect(kept()).toEqual(two);
  });

  it('takes settings and credential away, and names the state that stays', async () => {
    const { run, kept, state } = machine(two, ['mall']);
    expect(await run('profile delete mall --yes')).toMatchObject({
      exitCode: 0,
      stderr:
        'profile mall was deleted from this machine; the service still accepts its credential\n' +
        `the records of its pushes and payments stay in ${state('mall')}\n` +
        'no profile is the default now; to choose one: reviewctl profile use fair\n',
    });
    expect(kept()).toEqual({ current: 'mall', profiles: { fair: { rate: '5' } } });
    expect(existsSync(state('mall'))).toBe(true);
    const choose =
      /profile mall was removed, and no other one is the default\nhint: to choose one: reviewctl profile use/;
    for (const command of ['products list', 'config set rate 7']) expectEnd(await run(command), 2, choose);
    expectEnd(await run('config get rate --profile fair'), 0);
    expectEnd(await run('profile delete mall --yes'), 2);
    expectEnd(await run('profile use fair'), 0);
    expectEnd(await run('config get rate'), 0);
  });
});
