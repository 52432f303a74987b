import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, expectEnd, runCli, temporaryFolder } from './run-cli.ts';

const count = 600_000;
/** In MiB; small pushes need about 80. */
const peakMaximum = 125;

test('what a push holds in memory is little, however many records stream through it', async () => {
  const folder = temporaryFolder();
  const rows = Array.from({ length: count }, (_, at) => `20261101-${at >> 1},20261101-${at},P${at % 70_000}`);
  writeFileSync(
    join(folder, 'items.csv'),
    ['orderOriginId,originId,productOriginId', ...rows, ''].join('\n'),
  );
  const peakReport = join(folder, 'peak.cjs');
  // resourceUsage() would include the peak of the process that started this one.
  const peak = "/VmHWM:\\s+(\\d+)/.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1]";
  writeFileSync(peakReport, `process.on('exit', () => console.error('peak', ${peak}));`);
  const env = {
    ...cleanEnvironment(folder),
    REVIEWCTL_BASE_URL: 'http://127.0.0.1:9',
    REVIEWCTL_TOKEN: 'x',
    NODE_OPTIONS: `--require ${peakReport}`,
  };
  const args = 'orders push items.csv --dry-run -o none';
  const { stderr } = expectEnd(await runCli(args, { env, cwd: folder }), 0, '600,000 to send');
  expect(Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024).toBeLessThan(peakMaximum);
});
