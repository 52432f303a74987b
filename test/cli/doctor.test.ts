import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkDisk, checkVersions } from '../../src/cli/commands/doctor/check-state.ts';
import { deadAddress, serveHttp } from '../client/loopback.ts';
import { SkippingClock } from '../client/skipping-clock.ts';
import { recordsIn } from './open-place.ts';
import { environmentAt, expectEnd, runCli, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

interface CheckFinding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly hint?: string;
}

/** Runs `doctor` against the service of `answer`, on a machine that is set up correctly except for `spoil`. */
async function examine(
  answer: RequestListener,
  spoil: {
    readonly env?: Readonly<Record<string, string>>;
    readonly flags?: string;
    readonly files?: (folder: string, url: string) => void | Promise<void>;
  } = {},
) {
  const { url } = await serveHttp(answer);
  const folder = temporaryFolder();
  await spoil.files?.(folder, url);
  const env = { ...environmentAt(folder, { baseUrl: url, token: 'canary-token' }), ...spoil.env };
  const examined = await runInProcess(`doctor -c retries=0 -o ndjson ${spoil.flags ?? ''}`, {
    env,
    cwd: folder,
  });
  expect(examined.stdout).not.toContain('canary');
  const findings: readonly CheckFinding[] = recordsIn(examined);
  const bad = findings.filter(({ status, check }) => status !== 'ok' && check !== 'versions');
  return { exitCode: examined.exitCode, findings, bad, url, folder };
}

/** The current time, both on the machine of the tests and on a healthy service. */
const nowMs = new SkippingClock().now();
const inTime = { date: new Date(nowMs).toUTCString() };
const healthy: RequestListener = (_, outgoing) =>
  outgoing.writeHead(200, inTime).end('{"totalCount":3,"data":[]}');
const refusing =
  (status: number): RequestListener =>
  (_, outgoing) =>
    outgoing.writeHead(status, inTime).end();

const configFile =
  (text: string, mode = 0o600) =>
  (folder: string) => {
    mkdirSync(join(folder, 'config'), { mode: 0o700 });
    writeFileSync(join(folder, 'config', 'config.json'), text);
    chmodSync(join(folder, 'config', 'config.json'), mode);
  };
const projectFile = (text: string) => (folder: string) => writeFileSync(join(folder, 'reviewctl.json'), text);

describe('a machine that is set up', () => {
  it('has nothing wrong, and exit 0', async () => {
    const { bad, findings } = expectEnd(await examine(healthy), 0);
    expect(bad).toEqual([]);
    const checks = 'versions address credential state disk reach clock';
    expect(findings.map(({ check }) => check).join(' ')).toBe(checks);
  });
});

describe('settings that are wrong', () => {
  it('no token', async () => {
    const { bad } = expectEnd(await examine(healthy, { env: { REVIEWCTL_TOKEN: '' } }), 4);
    expect(bad).toMatchObject([
      {
        check: 'credential',
        status: 'problem',
        hint: expect.stringMatching(/^reviewctl login --profile default/),
      },
      { check: 'reach', status: 'skipped' },
    ]);
  });

  it('no address', async () => {
    const { bad } = expectEnd(await examine(healthy, { env: { REVIEWCTL_BASE_URL: '' } }), 2);
    expect(bad).toMatchObject([
      { check: 'address', hint: expect.stringContaining('reviewctl login --base-url') },
      { check: 'reach' },
    ]);
  });

  it.each([
    ['a config file open to others', configFile('{}', 0o644), /^chmod 600 .*config\.json$/],
    ['a damaged config file', configFile('{"profiles":'), /mv .*config\.json.* && reviewctl login$/],
    ['a current profile that is gone', configFile('{"current":"gone"}'), /reviewctl login --profile gone/],
    ['a folder that sets what it must not', projectFile('{"ledger":"/x"}'), /reviewctl config set ledger/],
    ['a folder whose file is damaged', projectFile('{'), /^correct it or remove it$/],
    [
      'a folder that sets something for no command',
      projectFile('{"ordrs.map":[]}'),
      /^did you mean 'orders\.map'\?$/,
    ],
  ])('%s, and all else is examined', async (_, files, hint) => {
    const { bad, findings } = expectEnd(await examine(healthy, { files }), 2);
    expect(bad).toMatchObject([{ check: 'settings', status: 'problem', hint: expect.stringMatching(hint) }]);
    expect(findings.map(({ check }) => check)).toContain('clock');
  });

  it('a variable that no command reads is a warning', async () => {
    const { bad } = expectEnd(await examine(healthy, { env: { REVIEWCTL_TIME_OUT: '1' } }), 0);
    expect(bad).toMatchObject([
      {
        check: 'environment',
        status: 'warning',
        message: 'no command reads REVIEWCTL_TIME_OUT',
        hint: 'did you mean REVIEWCTL_TIMEOUT? else: unset REVIEWCTL_TIME_OUT',
      },
    ]);
  });
});

describe('a service that cannot be used', () => {
  it('because the token is wrong', async () => {
    const { exitCode, bad, url } = await examine(refusing(401));
    expect({ exitCode, bad }).toMatchObject({
      exitCode: 4,
      bad: [
        {
          check: 'reach',
          hint: `it comes from REVIEWCTL_TOKEN; to replace it: unset REVIEWCTL_TOKEN && reviewctl login --profile default --base-url ${url}`,
        },
      ],
    });
  });

  it('because the address has a path too many, and the command tries it without', async () => {
    const answer: RequestListener = (incoming, outgoing) =>
      (incoming.url?.startsWith('/admin/v2/') ? healthy : refusing(404))(incoming, outgoing);
    const { url } = await serveHttp(answer);
    const { exitCode, bad } = await examine(answer, { flags: `-c base-url=${url}/shop` });
    const hint = `the address comes from -c base-url; to try it without its path: reviewctl doctor -c base-url=${url}`;
    expect({ exitCode, bad }).toMatchObject({ exitCode: 2, bad: [{ check: 'reach', hint }] });
    expect((await examine(answer, { flags: `-c base-url=${url}` })).bad).toEqual([]);
  });

  it('because nothing answers', async () => {
    const dead = await deadAddress();
    const { bad } = expectEnd(await examine(healthy, { env: { REVIEWCTL_BASE_URL: `http://${dead}` } }), 5);
    expect(bad).toMatchObject([
      {
        check: 'reach',
        message: expect.stringContaining('connection refused'),
        hint: `the address comes from REVIEWCTL_BASE_URL; to see what is there: curl -v http://${dead}/`,
      },
    ]);
  });

  it('because a web page answers', async () => {
    const { bad, url } = expectEnd(
      await examine((_, outgoing) => outgoing.writeHead(200, inTime).end('<html>')),
      5,
    );
    expect(bad).toMatchObject([{ check: 'reach', hint: expect.stringContaining(`curl -v ${url}/`) }]);
  });

  it('because a proxy stands between, which is named without its password', async () => {
    const dead = await deadAddress();
    const env = { REVIEWCTL_BASE_URL: 'https://shop.example', HTTPS_PROXY: `http://canary:canary@${dead}` };
    const { findings } = expectEnd(await examine(healthy, { env }), 5);
    expect(findings).toContainEqual({
      check: 'proxy',
      status: 'ok',
      message: `HTTPS_PROXY is set: …@${dead}`,
      hint: 'to bypass it: NO_PROXY=shop.example reviewctl doctor',
    });
  });

  it.each([
    [-7_200_000, '7200 s ahead of the service'],
    [90_000, '90 s behind the service'],
  ])('or has a time that differs by %i ms, which is a warning', async (ms, told) => {
    const date = new Date(nowMs + ms).toUTCString();
    const { bad } = expectEnd(
      await examine((_, outgoing) => {
        outgoing.writeHead(200, { date }).end('{"totalCount":3,"data":[]}');
      }),
      0,
    );
    expect(bad).toMatchObject([
      { check: 'clock', status: 'warning', message: expect.stringMatching(`^${told}`) },
    ]);
  });
});

describe('a machine that lacks something', () => {
  it('a state folder that can be made', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'taken'), '');
    const { bad } = expectEnd(
      await examine(healthy, {
        env: { REVIEWCTL_STATE_DIR: join(folder, 'taken', 'state') },
      }),
      2,
    );
    expect(bad).toMatchObject([{ check: 'state', hint: expect.stringContaining('REVIEWCTL_STATE_DIR') }]);
  });

  it('room on the disk', () => {
    expect(checkDisk('/state', 255 * 1024 * 1024)).toEqual({
      check: 'disk',
      status: 'warning',
      message: 'only 255 MiB free on the disk of /state; a push stops when the disk is full',
      hint: expect.stringContaining('without its journal, every record is sent again'),
    });
    expect(checkDisk('/state', 256 * 1024 * 1024).status).toBe('ok');
  });

  it('a Node.js that README allows', () => {
    const { node } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
    ).engines;
    expect(node).toBe('>=20.19');
    const statuses = ['20.18.3', '20.19.0', '22.0.0', '26.1.0'].map(
      (version) => checkVersions(version).status,
    );
    expect(statuses).toEqual(['warning', 'ok', 'ok', 'ok']);
  });

  it('SQLite for this machine', async () => {
    const { url } = await serveHttp(healthy);
    const folder = temporaryFolder();
    const broken = join(folder, 'broken.cjs');
    writeFileSync(broken, "throw new Error('no native build was found');");
    const env = {
      ...environmentAt(folder, { baseUrl: url, token: 't' }),
      SQLITE_STAND_IN: broken,
      NODE_OPTIONS: `--require=${join(import.meta.dirname, '../bench/sqlite-hook.cjs')}`,
    };
    const { exitCode, stdout } = await runCli('doctor -o ndjson', { env, cwd: folder });
    rmSync(broken);
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(
      /"check":"state","status":"problem","message":"SQLite cannot be loaded on .*no native build was found","hint":"install reviewctl again/,
    );
    expect(stdout).toContain('"check":"reach","status":"ok"');
  });
});
