import { describe, expect, it } from 'vitest';
import { serveHttp } from '../client/loopback.ts';
import { sharedSandbox } from './open-place.ts';
import { environmentAt, expectEnd, expectNothing, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const folder = temporaryFolder();
const lookup = "-c 'get-reward=GET /admin/v2/reward/{rewardId}'";
const sandbox = await sharedSandbox({ port: 0, token: 'a-token', products: 5, orders: 60, reviews: 120 });

const environmentOf = (baseUrl: string) => environmentAt(folder, { baseUrl, token: 'a-token' });

const run = (...argv: readonly string[]) =>
  runInProcess(argv, { env: environmentOf(sandbox.baseUrl), cwd: folder });

async function lastReward(): Promise<string> {
  const { stdout } = await run('rewards list -o ids');
  return stdout.trimEnd().split('\n').at(-1) ?? '';
}

describe('one reward', () => {
  it('is the same by the lookup of the service and by looking through every page', async () => {
    const id = await lastReward();
    const listed = await run(`rewards get ${id}`);
    const fetched = await run(`rewards get ${id} ${lookup}`);
    expect({ exitCode: listed.exitCode, id: JSON.parse(listed.stdout).id }).toEqual({ exitCode: 0, id });
    expect(listed.stderr).toMatch(/^searching all rewards, .*get-reward/);
    expect(fetched).toEqual({ exitCode: 0, stdout: listed.stdout, stderr: '' });
  });

  it('that is in no page is exit 6, and says how many were looked at', async () => {
    expectNothing(
      await run('rewards get nope'),
      6,
      /\nerror: no reward, of 1\d\d, has the id 'nope'\nhint: .*rewards list -o ids\n$/,
    );
  });
});

describe('setting the status of a reward', () => {
  it('bypasses the ledger, so it is asked about; where nobody can be asked nothing is sent', async () => {
    const { url, seen } = await serveHttp((_, outgoing) => outgoing.end('{"id":"1"}'));
    for (const argv of [
      'rewards update 1 --status SUCCESS',
      'rewards update 1 --status success --no-input',
      'api updateReward --param rewardId=1 --body {"status":"SUCCESS"}',
    ]) {
      expectNothing(
        await runInProcess(argv, { env: environmentOf(url) }),
        2,
        /bypasses the ledger.*rewards settle.*ledger resolve.*set reward 1 to SUCCESS\?\nhint: pass --yes/,
      );
      expect(seen).toEqual([]);
    }
  });

  it('is done unasked with --yes', async () => {
    const id = await lastReward();
    const { stdout } = expectEnd(await run(`rewards update ${id} --status cancelled --yes`), 0);
    expect(JSON.parse(stdout).status).toBe('CANCELLED');
  });

  it('is never asked about where nothing would be sent', async () => {
    const { stdout } = expectEnd(await run('rewards update 1 --status SUCCESS --dry-run'), 0);
    expect(JSON.parse(stdout)).toEqual({
      method: 'PATCH',
      path: '/admin/v2/reward/1',
      body: { status: 'SUCCESS' },
    });
  });

  it('to FAILED is refused with the two words that are meant', async () => {
    expectEnd(
      await run('rewards update 1 --status FAILED --yes'),
      2,
      /^error: --status: expected QUEUED, .*, not 'FAILED'\nhint: .*CANCELLED.*FAILURE/,
    );
  });

  it('that the service refuses is told by the flag', async () => {
    const id = await lastReward();
    await run(`rewards update ${id} --status CANCELLED --yes`);
    expectEnd(
      await run(`rewards update ${id} --status SUCCESS --yes`),
      6,
      '(422): --status: a reward that is CANCELLED cannot become SUCCESS',
    );
  });
});
