import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Failure } from '../../src/base/failure.ts';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { cleanEnvironment, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

test('whoever interrupts a push that waits for its jobs hears that all was sent, and how to go on waiting', async () => {
  const folder = temporaryFolder();
  const sandbox = await serveSandbox({ port: 0, products: 1, jobDelayMs: 3_600_000 });
  onTestFinished(() => sandbox.close());
  const env = {
    ...cleanEnvironment(folder),
    REVIEWCTL_BASE_URL: sandbox.baseUrl,
    REVIEWCTL_TOKEN: sandbox.token,
  };
  const path = join(folder, 'items.csv');
  writeFileSync(path, 'orderOriginId,originId,productOriginId\nO1,O1-1,P1\nO2,O2-1,P1\n');
  const stopping = new AbortController();
  const pressed = {
    ...systemClock,
    sleep: async () => stopping.abort(new Failure('interrupted', 'interrupted before the end')),
  };
  const words = ['orders', 'push', path, '--wait', '--assume', 'getJob=GET /admin/v2/job/{jobId}'];
  const { stderr } = await runInProcess(words, { env, stopping: stopping.signal, clock: pressed });
  expect(stderr).toContain(
    'warning: interrupted: all records were sent, and the jobs of 2 records had not ended\nhint: to wait for them: reviewctl jobs wait\n',
  );
});
