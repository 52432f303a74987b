import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';

// As far below the package as the source, so that both find what comes with it at one address.
const program = 'dist/program';
const surfaces = 'dist/surfaces';
const requireBanner =
  "import { createRequire as createRequireForBundle } from 'node:module';\nconst require = createRequireForBundle(import.meta.url);\n";
const options = {
  outdir: program,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  metafile: true,
  logLevel: 'warning',
};

/** What runs commands is a bundle of its own: it must not be torn apart to share code with them, for each file costs start-up time. */
const commandsApart = {
  name: 'commands-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/run-process\.ts$/ }, () => ({ path: './run-process.js', external: true })),
};
const builds = await Promise.all([
  build({ ...options, entryPoints: ['src/main.ts'], plugins: [commandsApart] }),
  build({
    ...options,
    entryPoints: ['src/cli/run-process.ts', 'src/cli/write-surfaces.ts'],
    splitting: true,
    // Native code is found next to its own package, so this one stays outside the bundle.
    external: ['@photostructure/sqlite'],
    banner: { js: requireBanner },
  }),
]);
const outputs = builds.flatMap(({ metafile }) => Object.keys(metafile.outputs));

// Most files require nothing, and each that can costs start-up time.
for (const path of outputs) {
  const code = (await readFile(path, 'utf8')).replace(requireBanner, '');
  if (!/\brequire\b/.test(code)) await writeFile(path, code);
}

// Only now, so that a build that fails leaves the last good one in place.
const built = new Set(outputs.map((path) => basename(path)));
await mkdir(program, { recursive: true });
for (const name of await readdir(program)) {
  if (!built.has(name)) await rm(`${program}/${name}`);
}

// What commands show of themselves is read off them once, here, so that help and completion load none of them.
const { writeSurfaces } = await import('./dist/program/write-surfaces.js');
await writeSurfaces(surfaces);
await rm(`${program}/write-surfaces.js`);
