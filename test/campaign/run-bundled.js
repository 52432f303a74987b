import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';

/** Bundles a program, since Node 20 cannot run TypeScript. `options` are those of esbuild. */
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

/** Runs a bundle in a separate process. It is passed through a pipe, because it is too long for an argument. */
export function runBundled(input, args, stdout = 'inherit') {
  const stdio = ['pipe', stdout, 'inherit'];
  return spawnSync(process.execPath, ['--input-type=module', '-', ...args], {
    input,
    stdio,
    encoding: 'utf8',
  });
}
