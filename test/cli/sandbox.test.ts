import { expect, onTestFinished, test } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { serveHttp } from '../client/loopback.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { sharedSandbox } from './open-place.ts';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const env = { ...cleanEnvironment(temporaryFolder()), REVIEWCTL_TOKEN: 'a-token' };
const sandbox = await sharedSandbox({ port: 0, token: 'a-token', orders: 5 });

test('a running sandbox is written to and asked for its hints', async () => {
  const running = { env: { ...env, REVIEWCTL_BASE_URL: sandbox.baseUrl } };
  const written = await runInProcess('sandbox write-review --count 2 -o count', running);
  const hints = await runInProcess('sandbox hints -o count', running);
  expect({ written, hints }).toEqual({
    written: { exitCode: 0, stdout: '2\n', stderr: '' },
    hints: { exitCode: 0, stdout: '0\n', stderr: 'no hints\n' },
  });
  expectEnd(
    await runInProcess('sandbox write-review --count 99 -o count', running),
    6,
    / written of 99: each order item /,
  );
});

test('a running sandbox is moved in time and given faults, whatever its assumptions', async () => {
  const own = await serveSandbox({
    port: 0,
    token: 'a-token',
    clock: new ManualClock(),
    reviews: 2,
    assumptions: { replyScalars: 'swapped', successStatus: '201' },
  });
  onTestFinished(() => own.close());
  const running = { env: { ...env, REVIEWCTL_BASE_URL: own.baseUrl } };
  const told = async (line: string) => {
    const { exitCode, stderr } = await runInProcess(['sandbox', ...line.split(' ')], running);
    return `${exitCode} ${stderr}`;
  };
  expect(await told('advance 14d')).toBe(
    '0 the sandbox is now at 2026-01-15T00:00:00Z; no jobs ended, no rewards became QUEUED\n',
  );
  expect(await told('advance 14')).toMatch(/^2 error: '14' is not a duration of at most 366d\nhint: .*14d/);
  expect(await told('advance 400d')).toMatch(/^2 error: '400d' is not a duration of at most 366d/);
  expect(await told('fault throttle=next:3 torn=5%')).toBe(
    '0 faults: throttle=next:3, torn=0.05; injected so far: none\n',
  );
  expect(await told('fault fire=1')).toMatch(/^2 error: "fire=1" is not a valid fault/);
  expect(await told('fault list-lag=5s')).toMatch(
    /^2 error: list-lag can only be set when the sandbox starts/,
  );
  expect(await told('fault none')).toBe('0 faults: none; injected so far: none\n');
  expect(await told('fault')).toBe('0 faults: none; injected so far: none\n');
  expect(await told('resend 1')).toMatch(/^6 error: .*--webhook-url/);
});

test.each([
  ['a web page', '<html>Sign in</html>', 'it is a web page, not JSON'],
  ['an object', '{"data":[]}', 'a sandbox does not answer like this'],
  ['a list of something else', '[1]', 'a sandbox does not answer like this'],
])('%s in the place of the answer is exit 5 and said to be that', async (_, body, why) => {
  const { url } = await serveHttp((__, outgoing) => outgoing.end(body));
  for (const [verb, operation] of [
    ['hints', 'listHints'],
    ['write-review', 'writeReviews'],
  ]) {
    const { stderr } = expectEnd(
      await runInProcess(['sandbox', verb ?? ''], {
        env: { ...env, REVIEWCTL_BASE_URL: url },
      }),
      5,
    );
    expect(stderr.split('\n')[0]).toBe(`error: sandbox ${operation}: the reply (200) cannot be read: ${why}`);
  }
});

test('a service that is no sandbox is exit 2', async () => {
  const { url } = await serveHttp((_, outgoing) => outgoing.writeHead(404).end());
  expect(
    await runInProcess('sandbox hints', {
      env: { ...env, REVIEWCTL_BASE_URL: url },
    }),
  ).toMatchObject({
    exitCode: 2,
    stderr: 'error: the service at this address is not a sandbox\nhint: start one: reviewctl sandbox serve\n',
  });
});
