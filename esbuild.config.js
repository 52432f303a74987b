import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { build, transform } from 'esbuild';
import { linesOfSource } from './esbuild.maps.js';
import { thirdPartyNotices } from './esbuild.notices.js';
import { inPacks, recordLayer, serviceLayer } from './esbuild.packs.js';

// As far below the package as the source, so that both find what comes with it at one address.
const program = 'dist/program';
const unpacked = 'dist/unpacked';
const surfaces = 'dist/surfaces';
const manPages = 'dist/man';
const sourceMaps = 'dist/source-maps.json';
const notices = 'dist/THIRD-PARTY.txt';
const bundleFolder = 'node_modules/.cache/reviewctl';

/** Of the manifest, which lists a page for every command, the program needs one line at each start. */
const versionOfManifest = {
  name: 'version-of-manifest',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/package\.json$/ }, async ({ path }) => {
      if (path !== resolve('package.json')) return undefined;
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    }),
};

const options = {
  outdir: program,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  outExtension: { '.js': '.cjs' },
  write: false,
  metafile: true,
  sourcemap: 'external',
  sourcesContent: false,
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** What runs commands is a bundle of its own: it must not be torn apart to share code with them, for each file costs start-up time. */
const commandsApart = {
  name: 'commands-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/run-process\.ts$/ }, () => ({
      path: '../../bin/load-commands.js',
      external: true,
    })),
};
const commandOptions = {
  ...options,
  entryPoints: ['src/cli/run-process.ts', 'src/cli/write-surfaces.ts'],
  splitting: true,
  // Native code is found next to its own package, so this one stays outside the bundle.
  external: ['@photostructure/sqlite'],
};

/**
 * What commands share would be cut into as many files as there are sets of commands that share something, and each file costs start-up time.
 * So every command is made to import all that the command line, which loads it, has loaded already, and what prints records; one that knows the
 * contract or the client, also what those have in common which call the service; and one that knows cells or how records are pushed, also what
 * those have in common which take records in. Each of these layers is then a file or a few, and those become one (`esbuild.packs.js`).
 */
async function inLayers() {
  const { metafile } = await build(commandOptions);
  const importsOf = (path, kind = 'import-statement') =>
    metafile.inputs[path].imports.flatMap((imported) =>
      imported.kind === kind && !imported.external ? imported.path : [],
    );
  const allImportsOf = (path, found = new Set()) => {
    for (const imported of importsOf(path))
      if (!found.has(imported)) allImportsOf(imported, found.add(imported));
    return found;
  };
  const commandLine = 'src/cli/command-line.ts';
  const complete = 'src/cli/help/complete.ts';
  const ownImports = importsOf(commandLine).filter((path) => path.startsWith('src/'));
  const commandLayer = [...ownImports, 'src/output/formats/records.ts'];
  const loadedOnUse = Object.keys(metafile.inputs).flatMap((path) => importsOf(path, 'dynamic-import'));
  const loadedByCommands = new Set(['src/cli/write-surfaces.ts', ...loadedOnUse]);
  for (const path of [commandLine, complete, ...allImportsOf(complete)]) loadedByCommands.delete(path);
  const ofCommandLine = allImportsOf(commandLine);
  const ofService = new Set(serviceLayer.flatMap((path) => [path, ...allImportsOf(path)]));
  const layersOf = (path) => {
    if (!loadedByCommands.has(path)) return [];
    const beyond = [...allImportsOf(path)].filter((imported) => !ofCommandLine.has(imported));
    if (!beyond.some((imported) => /^src\/(?:contract|client)\//.test(imported))) return commandLayer;
    const takesRecords = beyond.some(
      (imported) => /^src\/(?:input|push)\//.test(imported) && !ofService.has(imported),
    );
    return [...commandLayer, ...serviceLayer, ...(takesRecords ? recordLayer : [])];
  };
  return {
    name: 'in-layers',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\/src\/(?:cli|client|input|payer|settle)\/.*\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const imports = layersOf(relative('.', path)).map((file) => `import '${resolve(file)}';`);
        return { contents: [source, ...imports].join('\n'), loader: 'ts' };
      }),
  };
}

/**
 * Modules of Node.js that packages load for what is never used here, and what stands in for them: undici speaks HTTP/1.1 by a parser of its
 * own and asserts truths alone, and no command is a program of its own. Loading them takes a tenth of the time of one call.
 */
const sparedModules = {
  undici: {
    'node:http': 'exports.maxHeaderSize = 16384;',
    'node:http2': 'exports.constants = {};',
    'node:assert':
      "module.exports = (isTrue, message = 'undici is in an impossible state') => { if (!isTrue) throw new Error(message); };",
  },
  commander: { 'node:child_process': '' },
};
const modulesSpared = {
  name: 'modules-spared',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:/ }, ({ path, importer }) => {
      const [, name] = /\/node_modules\/([^/]+)\//.exec(importer) ?? [];
      const contents = sparedModules[name]?.[path];
      return contents === undefined ? undefined : { path, namespace: 'spared', pluginData: contents };
    });
    onLoad({ filter: /.*/, namespace: 'spared' }, ({ pluginData: contents }) => ({ contents }));
  },
};

/** The tables that the HTTP parser of undici computes at each start, as they are then. */
const parserTables = {
  name: 'parser-tables',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/undici\/lib\/llhttp\/constants\.js$/ }, async ({ path }) => {
      const { default: tables } = await import(path);
      return { contents: JSON.stringify(tables), loader: 'json' };
    }),
};

/** Node.js 20 loads a whole HTTP client where pg asks for `Response`, which shows that it does not run at Cloudflare. */
const runtimeKnown = {
  name: 'runtime-known',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/pg\/lib\/stream\.js$/ }, async ({ path }) => ({
      contents: `const Response = undefined;\n${await readFile(path, 'utf8')}`,
    })),
};

const builds = await Promise.all([
  build({ ...options, entryPoints: ['src/main.ts'], plugins: [versionOfManifest, commandsApart] }),
  build({
    ...commandOptions,
    plugins: [versionOfManifest, await inLayers(), modulesSpared, parserTables, runtimeKnown],
  }),
]);
const outputs = new Map(
  builds.flatMap(({ outputFiles }) => outputFiles).map(({ path, text }) => [path, text]),
);

/**
 * As CommonJS, with its source map: what V8 made of that can be kept on every Node.js (`bin/load-commands.js`), and files of it are loaded without
 * a wait for each.
 */
async function commonJsOf(text, map) {
  const ownAddress = "\nconst importMetaUrl = require('node:url').pathToFileURL(__filename).href;";
  const earlier = `data:application/json;base64,${Buffer.from(map).toString('base64')}`;
  const built = await transform(`${text}\n//# sourceMappingURL=${earlier}`, {
    format: 'cjs',
    platform: options.platform,
    target: options.target,
    sourcemap: options.sourcemap,
    sourcesContent: options.sourcesContent,
    minify: options.minify,
    legalComments: options.legalComments,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: `"use strict";${text.includes('import.meta.url') ? ownAddress : ''}`,
    // esbuild exports by a getter that calls a getter. Plain values save a tenth of the time of reading an input.
    footer: 'module.exports = { ...module.exports, __esModule: true };',
  });
  return { code: inAscii(built.code), map: linesOfSource(built.map) };
}

/** esbuild escapes strings and names, but neither regular expressions nor comments, in which escapes mean the same. */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const files = new Map();
await mkdir(unpacked, { recursive: true });
for (const [path, text] of outputs) {
  if (path.endsWith('.map')) continue;
  const file = await commonJsOf(text, outputs.get(`${path}.map`));
  await writeFile(`${unpacked}/${basename(path)}`, file.code);
  files.set(basename(path), file);
}

// What commands show of themselves is read off them once, here, so that help and completion load none of them.
const { writeManPages, writeSurfaces } = await import(`./${unpacked}/write-surfaces.cjs`);
await writeSurfaces(surfaces);
await writeManPages(manPages);
await rm(unpacked, { recursive: true });
files.delete('write-surfaces.cjs');

const bundle = {};
for (const { metafile } of builds)
  for (const [path, output] of Object.entries(metafile.outputs))
    if (files.has(basename(path))) bundle[basename(path)] = output;
await writeFile(notices, `${await thirdPartyNotices(bundle)}\n`);

// Only now, so that a build that fails leaves the last good one in place.
const packed = inPacks(files, bundle);
await mkdir(program, { recursive: true });
for (const [name, { code }] of packed.files) await writeFile(`${program}/${name}`, code);
for (const name of await readdir(program)) if (!packed.files.has(name)) await rm(`${program}/${name}`);
// Read where a stack is printed, and nowhere else.
const maps = [...packed.files].map(([name, { map }]) => [name, map]);
await writeFile(sourceMaps, JSON.stringify(Object.fromEntries(maps)));
// For the test that says what is loaded with what.
await mkdir(bundleFolder, { recursive: true });
await writeFile(`${bundleFolder}/bundle.json`, JSON.stringify(packed.bundle));
