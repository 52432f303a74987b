import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { build } from 'esbuild';

// As far below the package as the source, so that both find what comes with it at one address.
const program = 'dist/program';
const surfaces = 'dist/surfaces';
const requireBanner =
  "import { createRequire as createRequireForBundle } from 'node:module';\nconst require = createRequireForBundle(import.meta.url);\n";
const layers = [
  { files: ['src/cli/command-line.ts'] },
  { sign: 'src/contract/states.ts', files: ['src/output/views.ts','src/cli/list-frame/list-command.ts','src/cli/record-frame/record-command.ts','src/cli/ids-frame/run-visits.ts'] },
];
const withoutCommands = new Set(['src/cli/help/complete.ts', 'src/cli/command-line.ts']);
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
const commandOptions = {
  ...options,
  entryPoints: ['src/cli/run-process.ts', 'src/cli/write-surfaces.ts'],
  splitting: true,
  // Native code is found next to its own package, so this one stays outside the bundle.
  external: ['@photostructure/sqlite'],
  banner: { js: requireBanner },
};

/**
 * What is shared would be cut into as many files as there are sets of commands that share something, and each file costs start-up time. So
 * whatever is loaded on use is made to need all of a layer of which it needs anything, and each layer is a file.
 */
async function inLayers() {
  const { metafile } = await build({ ...commandOptions, write: false });
  const importsOf = (path, kind) =>
    metafile.inputs[path].imports.filter((imported) => imported.kind === kind && !imported.external);
  const needs = (path, found = new Set()) => {
    if (!found.has(path)) for (const imported of importsOf(path, 'import-statement')) needs(imported.path, found.add(path));
    return found.add(path);
  };
  const loadedOnUse = new Set(
    Object.keys(metafile.inputs).flatMap((path) => importsOf(path, 'dynamic-import').map((imported) => imported.path)),
  );
  const added = (path) =>
    loadedOnUse.has(path) && !withoutCommands.has(path)
      ? layers.filter(({ sign }) => sign === undefined || needs(path).has(sign)).flatMap(({ files }) => files)
      : [];
  return {
    name: 'in-layers',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => ({
        contents: [
          await readFile(path, 'utf8'),
          ...added(relative('.', path)).map((file) => `import '${resolve(file)}';`),
        ].join('\n'),
        loader: 'ts',
      })),
  };
}

/** As undici finds them where Node was built without them: it speaks HTTP/1.1 here, by a parser of its own, and loading both takes 15 ms. */
const undiciAlone = {
  name: 'undici-alone',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:http2?$/ }, ({ path, importer }) =>
      /\/node_modules\/undici\//.test(importer) ? { path, namespace: 'undici-alone' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'undici-alone' }, ({ path }) => ({
      contents: path === 'node:http' ? 'exports.maxHeaderSize = 16384;' : "throw new Error('not loaded');",
    }));
  },
};
const builds = await Promise.all([
  build({ ...options, entryPoints: ['src/main.ts'], plugins: [commandsApart] }),
  build({ ...commandOptions, plugins: [await inLayers(), undiciAlone] }),
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
