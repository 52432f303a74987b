import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { cleanEnvironment, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

let sandbox: ServedSandbox;

beforeAll(async () => {
  sandbox = await serveSandbox({ port: 0, clock: systemClock, products: 5, orders: 1200, reviews: 1200 });
});
afterAll(() => sandbox.close());

function list(noun: string, ...flags: string[]) {
  const env = {
    ...cleanEnvironment(temporaryFolder()),
    REVIEWCTL_BASE_URL: sandbox.baseUrl,
    REVIEWCTL_TOKEN: sandbox.token,
  };
  return runInProcess([noun, 'list', ...flags], { env });
}

describe('--parallel', () => {
  test.each([
    ['reviews', []],
    ['reviews', ['--direction', 'ASC', '-o', 'csv']],
    ['reviews', ['--ratings', '4,5', '--created-at-start', '60d', '--limit', '300']],
    ['reviews', ['-c', 'page-size=30', '--fields', 'id,createdAt']],
    ['rewards', ['--status', 'QUEUED', '-o', 'json']],
    ['rewards', []],
  ])('prints %s %j exactly as without it', async (noun, flags) => {
    const plain = await list(noun, ...flags);
    const parallel = await list(noun, ...flags, '--parallel', '8');
    expect(parallel).toEqual(plain);
    expect(plain.stdout.length).toBeGreaterThan(1000);
  });

  test.each([
    ['--after', 'x'],
    ['--since-last', 'nightly'],
    ['--sort', 'UPDATED_AT'],
  ])('does not go with %s', async (...flags) => {
    const { exitCode, stderr } = await list('reviews', '--parallel', '8', ...flags);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(
        new RegExp(`error: ${flags[0]} .*\nhint: remove ${flags[0]} or --parallel`),
      ),
    });
  });
});
