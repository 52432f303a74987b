import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { serveHttp } from '../client/loopback.ts';
import { cleanEnvironment, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const env = { ...cleanEnvironment(temporaryFolder()), REVIEWCTL_TOKEN: 'a-token' };
let sandbox: ServedSandbox;

beforeAll(async () => {
  sandbox = await serveSandbox({ port: 0, token: 'a-token' });
});
afterAll(() => sandbox.close());

test('a running sandbox is seeded, written to and asked for its hints', async () => {
  const running = { env: { ...env, REVIEWCTL_BASE_URL: sandbox.baseUrl } };
  const seeded = await runInProcess(['sandbox', 'seed', '--products', '3', '--orders', '5'], running);
  const written = await runInProcess(['sandbox', 'write-review', '--count', '2', '-o', 'count'], running);
  const hints = await runInProcess(['sandbox', 'hints', '-o', 'count'], running);
  expect({ seeded, written, hints }).toEqual({
    seeded: {
      exitCode: 0,
      stdout: '',
      stderr: 'the sandbox now has 3 products, 5 orders, no reviews, no rewards\n',
    },
    written: { exitCode: 0, stdout: '2\n', stderr: '' },
    hints: { exitCode: 0, stdout: '0\n', stderr: 'no hints\n' },
  });
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
    const { exitCode, stderr } = await runInProcess(['sandbox', verb ?? ''], {
      env: { ...env, REVIEWCTL_BASE_URL: url },
    });
    expect({ exitCode, told: stderr.split('\n')[0] }).toEqual({
      exitCode: 5,
      told: `error: sandbox ${operation}: the reply (200) cannot be read: ${why}`,
    });
  }
});

test('a service that is no sandbox is exit 2', async () => {
  const { url } = await serveHttp((_, outgoing) => outgoing.writeHead(404).end());
  const { exitCode, stderr } = await runInProcess(['sandbox', 'hints'], {
    env: { ...env, REVIEWCTL_BASE_URL: url },
  });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: 'error: the service at this address is not a sandbox\nhint: start one: reviewctl sandbox serve\n',
  });
});
