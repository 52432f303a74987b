import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordsIn } from './open-place.ts';
import { type CommandLine, cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const profiles = {
  current: 'mall',
  profiles: {
    mall: {
      'base-url': 'https://mall.example',
      token: 'canary-token',
      'token-command': 'pass show canary-argument',
      'orders.map': ['originId=No'],
      timeout: '10s',
    },
    fair: { 'base-url': 'https://fair.example', production: true },
  },
};

function machineWith(config: unknown = profiles) {
  const folder = temporaryFolder();
  const env = cleanEnvironment(folder);
  const path = join(folder, 'config', 'config.json');
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  const run = async (line: CommandLine, more: Readonly<Record<string, string>> = {}) =>
    runInProcess(typeof line === 'string' ? line.split(' ') : line, {
      env: { ...env, ...more },
      cwd: folder,
    });
  const kept = () => JSON.parse(readFileSync(path, 'utf8')) as typeof profiles;
  return { folder, path, run, kept };
}

describe('profiles', () => {
  it('are listed with what tells them apart', async () => {
    expect(recordsIn(await machineWith().run('profile list'))).toEqual([
      {
        name: 'mall',
        isCurrent: true,
        isProduction: false,
        credential: 'token-command',
        baseUrl: 'https://mall.example',
      },
      {
        name: 'fair',
        isCurrent: false,
        isProduction: true,
        credential: null,
        baseUrl: 'https://fair.example',
      },
    ]);
  });

  it('are chosen by name, until another is', async () => {
    const { run, kept } = machineWith();
    expect(await run('profile use fair')).toMatchObject({ exitCode: 0, stdout: '' });
    expect(kept()).toEqual({ ...profiles, current: 'fair' });
    expect((await run('profile show -o ids')).stdout).toBe('base-url\nproduction\n');
  });

  it('that are not there are refused with those that are', async () => {
    expectEnd(
      await machineWith().run('profile use mal'),
      2,
      "there is no profile 'mal'\nhint: profiles: mall, fair; to make it: reviewctl login --profile mal",
    );
  });

  it('can be chosen again where the current one is gone', async () => {
    const { run, kept } = machineWith({ ...profiles, current: 'gone' });
    expect((await run('products list')).stderr).toContain('profile gone was removed, and no other one is');
    expectEnd(await run('profile use mall'), 0);
    expect(kept().current).toBe('mall');
  });

  it('that a variable outranks are told of it', async () => {
    const { stderr } = await machineWith().run('profile use fair', { REVIEWCTL_PROFILE: 'mall' });
    expect(stderr).toContain(
      'warning: REVIEWCTL_PROFILE selects profile mall and overrides this\nhint: unset REVIEWCTL_PROFILE\n',
    );
  });
});

describe('what is set', () => {
  it('is listed with where it comes from', async () => {
    const { folder, path, run } = machineWith();
    writeFileSync(join(folder, 'reviewctl.json'), '{"batch-size":50,"timeout":"20s"}');
    const listed = await run('config list -c retries=2', {
      REVIEWCTL_LEDGER_ANYWHERE: '',
      REVIEWCTL_RATE: '7',
      REVIEWCTL_TOKEN: 'canary',
    });
    const inProfile = { origin: 'profile', place: `profile mall in ${path}` };
    const inProject = { origin: 'project', place: join(folder, 'reviewctl.json') };
    expect(recordsIn(listed)).toEqual([
      { name: 'base-url', value: 'https://mall.example', ...inProfile },
      { name: 'batch-size', value: 50, ...inProject },
      { name: 'orders.map', value: ['originId=No'], ...inProfile },
      { name: 'rate', value: '7', origin: 'environment', place: 'REVIEWCTL_RATE' },
      { name: 'retries', value: '2', origin: 'flag', place: '-c retries' },
      { name: 'timeout', value: '20s', ...inProject },
      { name: 'token', value: '[redacted]', origin: 'environment', place: 'REVIEWCTL_TOKEN' },
      { name: 'token-command', value: 'pass [redacted]', ...inProfile },
    ]);
  });

  it('is the credential that systemd passes, before that of the profile', async () => {
    const { folder, run } = machineWith();
    writeFileSync(join(folder, 'reviewctl-token'), 'canary', { mode: 0o400 });
    expect(recordsIn(await run('config list', { CREDENTIALS_DIRECTORY: folder }))).toContainEqual({
      name: 'token',
      value: '[redacted]',
      origin: 'environment',
      place: `CREDENTIALS_DIRECTORY ${join(folder, 'reviewctl-token')}`,
    });
  });

  it('is its default where nothing sets it, as it would be typed', async () => {
    expect((await machineWith({}).run('config get timeout')).stdout).toBe('30s\n');
  });

  it('is never shown where it is a secret, in any way to ask', async () => {
    const { run } = machineWith();
    for (const line of [
      'config list',
      'config get token',
      'config get token-command',
      'profile show',
      'profile list',
      'doctor -c retries=0 -c base-url=https://canary@x',
    ]) {
      for (const format of line.includes('get') ? [''] : [' -o json', ' -o table', ' -o csv']) {
        const { stdout, stderr } = await run(line + format);
        expect(`${stdout}${stderr}`).not.toContain('canary');
      }
    }
  });

  it('is printed by name, a list line by line', async () => {
    const { run } = machineWith();
    expect((await run('config get orders.map')).stdout).toBe('originId=No\n');
    expect((await run('config get base-url --profile fair')).stdout).toBe('https://fair.example\n');
    expect(await run('config get rate')).toMatchObject({
      exitCode: 2,
      stderr: 'error: rate is not set\nhint: to set it: reviewctl config set rate …\n',
    });
  });
});

describe('config set', () => {
  it.each([
    ['rate 5', { rate: '5' }],
    ['ledger-anywhere 1', { 'ledger-anywhere': true }],
    ['production true', { production: true }],
    ['orders.map originId=A name=B', { 'orders.map': ['originId=A', 'name=B'] }],
    ['time-zone +00:00', { 'time-zone': '+00:00' }],
    ['base-url https://x.example/admin/v2', { 'base-url': 'https://x.example/admin/v2' }],
  ])('keeps %s in the profile', async (line, settings) => {
    const { run, kept } = machineWith({});
    expect(await run(`config set ${line}`)).toMatchObject({ exitCode: 0, stdout: '' });
    expect(kept()).toEqual({ profiles: { default: settings } });
  });

  it.each([
    ['rat 5', "no command reads a setting 'rat'", "did you mean 'rate'?"],
    ['maxPerReward 5', "no command reads a setting 'maxPerReward'", "did you mean 'max-per-reward'?"],
    ['concurrency 65', "concurrency: expected 1 to 64, not '65'", 'concurrent requests (1 to 64)'],
    ['ordrs.map x', "no command reads a setting 'ordrs.map'", "did you mean 'orders.map'?"],
    ['production maybe', "production: expected true or false, not 'maybe'", 'write one of true, false'],
    ['rate fast', "rate: expected a whole number, not 'fast'", 'maximum requests per second'],
    ['rate 1 2', "'rate' takes one value", 'maximum requests per second'],
    [
      'token canary',
      "'token' is a secret, and the shell records typed commands",
      'store it with: reviewctl login',
    ],
    ['profile fair', 'a profile cannot select a profile', 'reviewctl profile use fair'],
    ['ledger ', 'ledger: must not be empty', 'to remove it: reviewctl config unset ledger'],
    ['state postgres://u:canary@h/d', 'the setting state contains a password', 'leave it out'],
    ['payer-command ./pay', 'payer-command: ./pay is not an absolute path', 'name the program in full'],
    ['payer-url http://x.example/pay', 'payer-url: plain http', 'write it as payer-url https'],
    ['base-url http://x.example', 'plain http to x.example', 'use https: -c base-url=https://x.example'],
  ])('refuses %s and says what is meant', async (line, message, hint) => {
    const { run, kept } = machineWith();
    const { exitCode, stderr } = await run(`config set ${line}`);
    const [error = '', told = ''] = stderr.split('\n');
    expect(exitCode).toBe(2);
    expect(error).toContain(`error: ${message}`);
    expect(told).toContain(`hint: ${hint}`);
    expect(kept()).toEqual(profiles);
  });

  it('makes a profile that is not there yet, and says so', async () => {
    const { run, kept } = machineWith();
    expect((await run('config set rate 5 --profile later')).stderr).toBe('new profile later: rate = 5\n');
    expect(kept().profiles).toEqual({ ...profiles.profiles, later: { rate: '5' } });
  });

  it('warns where something stronger is set', async () => {
    const { stderr } = await machineWith().run('config set rate 5', { REVIEWCTL_RATE: '7' });
    expect(stderr).toContain(
      'warning: REVIEWCTL_RATE overrides it\nhint: to see effective settings: reviewctl config list\n',
    );
  });
});

it.each([
  ['max-drop', ['101%'], 'expected at most 100%'],
  ['allow-ip', ['1.2.3.4,999.1.1.1'], 'is not an IP address or network', '999.1.1.1'],
  ['trust-proxy', ['10.0.0.0/33'], 'is not an IP address or network'],
  [
    'get-job',
    ['GET /job', 'GET /{id}', 'GET /{jobId}/{x}'],
    'expected a method and a path with {jobId}, such as "GET /admin/v2/job/{jobId}"',
  ],
  [
    'create-orders',
    ['POST /{id}'],
    'expected a method and a path with no parameter, such as "POST /admin/v2/orders/bulk"',
  ],
  ['map', ['name', 'name= ', '=Title'], 'expected FIELD=HEADER, such as name=Title'],
  ['orders.set', ['status'], 'expected FIELD=VALUE, such as status=DELIVERED'],
  ['carriers', ['한진', '한진= '], 'expected a name and its code, such as CJ대한통운=04'],
  ['delimiter', ['"', ',,'], 'expected one character such as ;, or \\t for a tab'],
  ['time-zone', ['Asia/Seoul', '+15:00', 'Z'], 'expected an offset such as +09:00'],
  [
    'image-base-url',
    ['/i', 'ftp://shop.example', 'https://'],
    'expected a web address such as https://shop.example/images/',
  ],
  ['payer-env', ['A=B'], 'expected the name of a variable'],
  ['payer-env', ['REVIEWCTL_TOKEN'], 'is not passed to a payer'],
])('config set refuses, as commands do, %s with %j', async (name, values, fault, part?: string) => {
  const { run, kept } = machineWith();
  for (const value of values) {
    const { exitCode, stderr } = await run(['config', 'set', name, value]);
    const written = part ?? value;
    const told = fault.startsWith('expected') ? `${fault}, not '${written}'` : `'${written}' ${fault}`;
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`error: ${name}: ${told}`) as string,
    });
  }
  expect(kept()).toEqual(profiles);
});

describe('config unset', () => {
  it('removes the settings that are named, and says which were not set', async () => {
    const { run, kept } = machineWith();
    expect(await run('config unset timeout rate')).toMatchObject({
      exitCode: 0,
      stderr: 'profile mall: timeout is no longer set\nprofile mall: rate is not set\n',
    });
    expect(Object.keys(kept().profiles.mall)).not.toContain('timeout');
  });

  it('removes nothing if a name is unknown', async () => {
    const { run, kept } = machineWith();
    expectEnd(await run('config unset timeout rat'), 2, "did you mean 'rate'?");
    expect(kept()).toEqual(profiles);
  });
});
