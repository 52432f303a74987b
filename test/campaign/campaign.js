import { spawnSync } from 'node:child_process';
import { instrumented } from '../fuzz/instrument.js';
import { bundled, runBundled } from './run-bundled.js';

/*
 * With the name of a campaign, runs its long version. Without one, runs the short versions of all, seeded and bounded;
 * vitest options are passed on.
 */

const [name = '--', ...rest] = process.argv.slice(2);
const isNamed = !name.startsWith('-');
process.exitCode = (isNamed ? await runLong() : runShort()).status ?? 1;

function runShort() {
  const options = [name, ...rest].filter((option) => option !== '--');
  const args = ['vitest', 'run', '--project', 'campaign', ...options];
  return spawnSync('npx', ['--no', ...args], { stdio: 'inherit' });
}

async function runLong() {
  const bundle = await bundled('test/campaign/campaign.ts', name === 'fuzz' ? instrumented() : {});
  return runBundled(bundle, [name, ...rest]);
}
