import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { instrumented } from '../fuzz/instrument.js';

/*
 * With the name of a campaign its long version; without one the short versions of all, seeded and bounded, to which options of vitest may be given.
 */

const [name = '--', ...rest] = process.argv.slice(2);
const isNamed = !name.startsWith('-');
process.exitCode = (isNamed ? await runLong() : runShort()).status ?? 1;

function runShort() {
  const options = [name, ...rest].filter((option) => option !== '--');
  const args = ['vitest', 'run', '--project', 'campaign', ...options];
  return spawnSync('npx', ['--no', ...args], { stdio: 'inherit' });
}

/** Node 20 runs no TypeScript, so the program is bundled and handed to a process of its own. */
async function runLong() {
  const { outputFiles } = await build({
    entryPoints: ['test/campaign/campaign.ts'],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    ...(name === 'fuzz' ? instrumented : {}),
  });
  // Through a pipe, because it is longer than an argument may be.
  return spawnSync(process.execPath, ['--input-type=module', '-', name, ...rest], {
    input: outputFiles[0]?.text ?? '',
    stdio: ['pipe', 'inherit', 'inherit'],
  });
}
