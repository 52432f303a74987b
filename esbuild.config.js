import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';

const chunks = 'dist/chunks';
const surfaces = 'dist/surfaces';
const requireBanner =
  "import { createRequire as createRequireForBundle } from 'node:module';\nconst require = createRequireForBundle(import.meta.url);\n";
const { metafile } = await build({
  entryPoints: { main: 'src/main.ts', 'write-surfaces': 'src/cli/write-surfaces.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  chunkNames: 'chunks/[name]-[hash]',
  // Native code is found next to its own package, so this one stays outside the bundle.
  external: ['@photostructure/sqlite'],
  banner: { js: requireBanner },
  metafile: true,
  logLevel: 'warning',
});

// Most files require nothing, and each that can costs start-up time.
for (const path of Object.keys(metafile.outputs)) {
  const code = (await readFile(path, 'utf8')).replace(requireBanner, '');
  if (!/\brequire\b/.test(code)) await writeFile(path, code);
}

// Only now, so that a build that fails leaves the last good one in place.
const built = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
await mkdir(chunks, { recursive: true });
for (const name of await readdir(chunks)) {
  if (!built.has(name)) await rm(`${chunks}/${name}`);
}

// What commands show of themselves is read off them once, here, so that help and completion load none of them.
const { writeSurfaces } = await import('./dist/write-surfaces.js');
await writeSurfaces(surfaces);
await rm('dist/write-surfaces.js');
