import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

/** The program on a new machine, with a service that need not be reachable. */
function machine(variables: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'work'));
  const env = {
    ...cleanEnvironment(folder),
    REVIEWCTL_BASE_URL: 'http://127.0.0.1:1',
    REVIEWCTL_TOKEN: 'canary',
    REVIEWCTL_RETRIES: '0',
    ...variables,
  };
  return (line: string) => runInProcess(line, { env, cwd: join(folder, 'work') });
}

describe('a start after the end is exit 2', () => {
  it.each([
    'reviews list --created-at-start 2026-11-21 --created-at-end 2026-11-20',
    'reviews list --edited-at-start 1d --edited-at-end 7d',
    'reviews list --updated-at-start 2026-11-20T09:00 --updated-at-end 2026-11-20T08:00',
    'reviews stats --created-at-start 2026-11-21 --created-at-end 2026-11-20',
    'rewards list --created-at-start 2026-11-21 --created-at-end 2026-11-20',
    'rewards list --updated-at-start 2026-11-21 --updated-at-end 2026-11-20',
    'api listReviews --query createdAtStart=2026-11-21 --query createdAtEnd=2026-11-20 --dry-run',
  ])('%s', async (line) => {
    expect(await machine()(line)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .* is after .*\nhint: exchange the two/) as string,
    });
  });

  it('and the same day as start and end is that day', async () => {
    expectEnd(await machine()('reviews list --created-at-start 2026-11-20 --created-at-end 2026-11-20'), 5);
  });
});

describe.each([
  ['Korean', '', '+09:00'],
  ['of the setting', '-c time-zone=-05:00', '-05:00'],
])('a time without a zone is %s, and gets its seconds', (_, setting, zone) => {
  it('in the query of api', async () => {
    const { stdout } = await machine()(
      `api listReviews --query createdAtStart=2026-11-20T09:30 --query createdAtEnd=2026-11-20 --dry-run ${setting}`,
    );
    const { path } = JSON.parse(stdout) as { readonly path: string };
    const { searchParams } = new URL(path, 'http://x');
    expect(searchParams.get('createdAtStart')).toBe(`2026-11-20T09:30:00${zone}`);
    expect(searchParams.get('createdAtEnd')).toBe(`2026-11-20T23:59:59.999${zone}`);
  });

  it('in the fields of a record', async () => {
    const { stdout } = await machine()(`orders update 1 --ordered-at 2026-11-20T09:30 --dry-run ${setting}`);
    expect(JSON.parse(stdout)).toMatchObject({ body: { orderedAt: `2026-11-20T09:30:00${zone}` } });
    const delivered = '--product-origin-id p --shipment-delivered-at 2026-11-20T09:30';
    const item = await machine()(`order-items update 1 ${delivered} --dry-run ${setting}`);
    expect(JSON.parse(item.stdout)).toMatchObject({
      body: { shipment: { deliveredAt: `2026-11-20T09:30:00${zone}` } },
    });
  });
});

describe('a switch', () => {
  it('that is set to another word is refused in plain words', async () => {
    expectEnd(
      await machine({ REVIEWCTL_METRICS: 'banana' })('rewards listen'),
      2,
      /^error: REVIEWCTL_METRICS: expected true or false, not 'banana'\n/,
    );
  });
});

it('a share of errors is at most all records', async () => {
  expectEnd(
    await machine()('products push x.csv --max-errors 101%'),
    2,
    /^error: --max-errors: expected at most 100%, not '101%'\n/,
  );
});

describe('a duration', () => {
  it.each(['lock-wait 0', 'outage-wait 0', 'payer-lookup-delay 0s'])('may be 0: %s', async (setting) => {
    expect(await machine()(`config set ${setting}`)).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('that limits a request is more than 0', async () => {
    expectEnd(
      await machine()('products list -c timeout=0'),
      2,
      /^error: -c timeout: expected more than 0, not '0'\n/,
    );
  });
});

describe('config set', () => {
  it('names every value that works', async () => {
    const { stderr } = await machine()('config set output xml');
    expect(stderr).toContain(
      'hint: write one of table, json, ndjson, none; some commands take csv, ids, count, too\n',
    );
  });

  it('warns of a value that some commands refuse', async () => {
    expectEnd(
      await machine()('config set output csv'),
      0,
      'warning: some commands of products, categories, orders and order-items refuse it and end with exit code 2\n',
    );
  });

  it('refuses a token command that cannot be run', async () => {
    expectEnd(await machine()('config set token-command "pass'), 2, 'a quote is not closed');
  });
});
