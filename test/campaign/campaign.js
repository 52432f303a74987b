import { spawnSync } from 'node:child_process';
import { buildSync } from 'esbuild';

// Node 20 runs no TypeScript, so the program is bundled and handed to a process of its own.
const { outputFiles } = buildSync({
  entryPoints: ['test/campaign/campaign.ts'],
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  packages: 'external',
});
const program = outputFiles[0]?.text ?? '';
const { status } = spawnSync(
  process.execPath,
  ['--input-type=module', '-e', program, '--', ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
