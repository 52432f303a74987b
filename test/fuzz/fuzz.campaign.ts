import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Total time for all readers, in minutes. */
const minutes = '0.5';

test('no input that half a minute of guided mutations finds breaks a reader', () => {
  const args = ['test/campaign/campaign.js', 'fuzz', '--minutes', minutes, '--seed', '1'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  console.log(stdout);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^[1-9]\d* executions, 0 violations$/m);
}, 240_000);
