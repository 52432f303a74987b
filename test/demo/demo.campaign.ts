import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cleanEnvironment, expectEnd, runCli, temporaryFolder } from '../cli/run-cli.ts';

test('the demo pushes a day of a real shop, pays what it owes once, and leaves nothing behind', async () => {
  const folder = temporaryFolder();
  const env = { ...cleanEnvironment(folder), TMPDIR: folder };
  const { stdout, stderr } = expectEnd(await runCli(['demo'], { env }), 0);
  expect(
    stderr
      .replaceAll(/in [\d.]+ s/g, 'in … s')
      .trimEnd()
      .split('\n'),
  ).toEqual([
    '25 categories: 25 created in … s',
    '1,348 products: 1,348 created in … s',
    '3,081 order items: 3,081 created in … s',
    '3,081 order items: 3,081 skipped in … s',
    '8 of 60 reviews',
    expect.stringMatching(/^\d+ of \d+ reviews$/),
    expect.stringMatching(/^8 of \d+ rewards$/),
    expect.stringMatching(/^created the ledger of the shop 'default'/),
    expect.stringMatching(/^next, /),
    expect.stringMatching(/^dry run, nothing was paid; \d+ rewards: \d+ to be paid .* held/),
    expect.stringMatching(/^\d+ rewards: \d+ paid \([\d,]+\), \d+ held/),
    expect.stringMatching(/^\d+ rewards: \d+ held \([\d,]+\)$/),
    expect.stringMatching(/^4 of \d+ rewards$/),
  ]);
  expect(stdout).toContain('$ reviewctl orders push');
  expect(readdirSync(folder)).toEqual([]);
});
