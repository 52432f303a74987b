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
// Through a pipe, because it is longer than an argument may be.
const { status } = spawnSync(process.execPath, ['--input-type=module', '-', ...process.argv.slice(2)], {
  input: program,
  stdio: ['pipe', 'inherit', 'inherit'],
});
process.exitCode = status ?? 1;
