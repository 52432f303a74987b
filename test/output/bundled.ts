import { buildSync } from 'esbuild';

/** Bundles TypeScript that imports from `./src` as JavaScript for `node --input-type=module -e`. */
export function bundled(program: string): string {
  const { outputFiles } = buildSync({
    stdin: { contents: program, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  return outputFiles[0]?.text ?? '';
}
