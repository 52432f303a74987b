import { expect, test } from 'vitest';
import { place, push } from './named-pipe.ts';

test('a named pipe as input without a writer is refused after a few seconds', async () => {
  const { stderr, exitCode } = await place().run(`${push} pipe`);
  expect(stderr).toContain('pipe cannot be read: no program writes to this named pipe');
  expect(exitCode).toBe(2);
});

test('a named pipe as input whose writer is slow to begin is read', async () => {
  const { stderr, exitCode } = await place().run(`(exec > pipe; sleep 6; cat items.csv) & ${push} pipe`);
  expect(stderr).toContain('1 order item');
  expect(exitCode).toBe(0);
});
