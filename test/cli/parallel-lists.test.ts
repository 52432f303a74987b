import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { sharedSandbox } from './open-place.ts';
import { environmentAt, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const sandbox = await sharedSandbox({
  port: 0,
  clock: systemClock,
  products: 5,
  orders: 1200,
  reviews: 1200,
});

function list(noun: string, ...flags: string[]) {
  const env = environmentAt(temporaryFolder(), sandbox);
  return runInProcess([`${noun} list`, ...flags], { env });
}

describe('--parallel', () => {
  test.each([
    ['reviews', []],
    ['reviews', ['--direction ASC -o csv']],
    ['reviews', ['--ratings 4,5 --created-at-start 60d --limit 300']],
    ['reviews', ['-c page-size=30 --fields id,createdAt']],
    ['rewards', ['--status QUEUED -o json']],
    ['rewards', []],
  ])('prints %s %j exactly as without it', async (noun, flags) => {
    const plain = await list(noun, ...flags);
    const parallel = await list(noun, ...flags, '--parallel 8');
    expect(parallel).toEqual(plain);
    expect(plain.stdout.length).toBeGreaterThan(1000);
  });

  test.each([
    ['--after', 'x'],
    ['--since-last', 'nightly'],
    ['--sort', 'UPDATED_AT'],
  ])('does not go with %s', async (...flags) => {
    expectEnd(
      await list('reviews', '--parallel 8', ...flags),
      2,
      new RegExp(`error: ${flags[0]} .*\nhint: remove ${flags[0]} or --parallel`),
    );
  });
});
