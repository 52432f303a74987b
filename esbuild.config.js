import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';

const chunks = 'dist/chunks';
const { metafile } = await build({
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  chunkNames: 'chunks/[name]-[hash]',
  // Native code is found next to its own package, so this one stays outside the bundle.
  external: ['@photostructure/sqlite'],
  banner: {
    js: "import { createRequire as createRequireForBundle } from 'node:module';\nconst require = createRequireForBundle(import.meta.url);",
  },
  metafile: true,
  logLevel: 'warning',
});

// Only now, so that a build that fails leaves the last good one in place.
const built = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
await mkdir(chunks, { recursive: true });
for (const name of await readdir(chunks)) {
  if (!built.has(name)) await rm(`${chunks}/${name}`);
}
