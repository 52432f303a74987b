import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';

/** Node 20 runs no TypeScript, so a program is bundled. `options` are those of esbuild. */
export async function bundled(entryPoint, options = {}) {
  const { outputFiles } = await build({
    entryPoints: [entryPoint],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    ...options,
  });
  return outputFiles[0]?.text ?? '';
}

/** Runs a bundle in a process of its own. It goes through a pipe, because it is longer than an argument may be. */
export function runBundled(input, args, stdout = 'inherit') {
  const stdio = ['pipe', stdout, 'inherit'];
  return spawnSync(process.execPath, ['--input-type=module', '-', ...args], {
    input,
    stdio,
    encoding: 'utf8',
  });
}
