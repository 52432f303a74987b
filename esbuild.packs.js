import { basename } from 'node:path';

/** What all commands that call the service have in common. */
export const serviceLayer = ['src/output/views/views.ts', 'src/cli/templates/list/list-command.ts'];
/** What those of them that take records in have in common besides. */
export const recordLayer = [
  'src/cli/templates/record/record-command.ts',
  'src/cli/templates/batch/run-for-each-id.ts',
];

/** The pack that `bin/load-commands.js` begins with. */
const first = 'start.cjs';

/**
 * Files that are always loaded together become one, because each costs start-up time. A pack is made of the files that hold one of its sources,
 * with all that they import, as far as no earlier pack has them.
 */
const packs = {
  [first]: ['src/cli/run-process.ts'],
  'complete.cjs': ['src/cli/help/complete.ts'],
  'command-line.cjs': ['command-line', 'runtime/command', 'runtime/print', 'runtime/ask'].map(
    (name) => `src/cli/${name}.ts`,
  ),
  'service.cjs': serviceLayer,
  'record.cjs': recordLayer,
  'http.cjs': ['dispatcher/pool', 'core/connect', 'core/symbols'].map(
    (name) => `node_modules/undici/lib/${name}.js`,
  ),
};

/** The file that Node.js loads itself; all others are read by `bin/load-commands.js`. */
const main = 'main.cjs';

/**
 * The files of a program, and what esbuild says of them, in packs, as `bin/load-commands.js` reads them: each is a function. In its pack a file
 * is a function, too, by its name.
 */
export function inPacks(files, bundle) {
  const packOf = findPacks(bundle);
  const packed = { files: new Map(), bundle: {} };
  for (const [name, { code, map }] of files) {
    const pack = packOf.get(name);
    packed.files.set(pack ?? name, joined(packed.files.get(pack), { name, code, map }, pack));
    packed.bundle[pack ?? name] = described(packed.bundle[pack], bundle[name], packOf);
  }
  packed.files.get(first).code += `exports.packOf = ${JSON.stringify(Object.fromEntries(packOf))};\n`;
  for (const [name, { code, map }] of packed.files) {
    // If the reader put this around a file, it would copy the text once more.
    const whole = `(function (module, exports, require, __filename, __dirname) { ${code}\n})`;
    if (name !== main) packed.files.set(name, { code: whole, map });
  }
  return packed;
}

/** The pack of each file that is in one. */
function findPacks(bundle) {
  const packOf = new Map();
  for (const [pack, sources] of Object.entries(packs)) {
    const add = (name) => {
      if (packOf.has(name)) return;
      packOf.set(name, pack);
      for (const { path, kind, external } of bundle[name].imports)
        if (kind === 'import-statement' && !external) add(basename(path));
    };
    for (const source of sources) {
      // The folder of packages may be a link to one elsewhere.
      const isHolder = ({ entryPoint = '', inputs }) =>
        [entryPoint, ...Object.keys(inputs)].some((path) => path.endsWith(source));
      const names = Object.keys(bundle).filter((name) => isHolder(bundle[name]));
      if (names.length === 0) throw new Error(`${source} is in no file that could be packed`);
      names.forEach(add);
    }
  }
  return packOf;
}

/** A pack with one more file, or a file that is in none. */
function joined(before = { code: '', map: { version: 3, sections: [] } }, { name, code, map }, pack) {
  if (pack === undefined) return { code, map };
  const head = `${before.code}exports['${name}'] = function (module, exports, require) {\n`;
  const line = head.split('\n').length - 1;
  return {
    code: `${head}${code}\n};\n`,
    map: { ...before.map, sections: [...before.map.sections, { offset: { line, column: 0 }, map }] },
  };
}

function described(before = { inputs: {}, imports: [] }, { inputs, imports }, packOf) {
  const packed = imports.map((one) => ({ ...one, path: packOf.get(basename(one.path)) ?? one.path }));
  return { inputs: { ...before.inputs, ...inputs }, imports: [...before.imports, ...packed] };
}
