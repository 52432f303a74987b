import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** The build's metafile: inputs and imports of each file. */
interface Bundle {
  readonly [path: string]: {
    readonly inputs: Readonly<Record<string, unknown>>;
    readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: true }[];
  };
}

/** One file of the built program. */
interface Chunk {
  /** The files of `src` in this chunk. */
  readonly sources: readonly string[];
  /** The npm packages bundled into this chunk or imported by it. */
  readonly packages: readonly string[];
  readonly imports: readonly string[];
}

/** Sources, packages and files that are loaded together. */
export interface Loaded {
  readonly sources: readonly string[];
  readonly packages: readonly string[];
  /** The files of the built program. */
  readonly files: readonly string[];
}

const bundleFile = new URL('../../node_modules/.cache/reviewctl/bundle.json', import.meta.url);
const bundle = JSON.parse(readFileSync(bundleFile, 'utf8')) as Bundle;
const chunks = new Map(Object.entries(bundle).map(([path, output]) => [basename(path), readChunk(output)]));

/**
 * Lists everything loaded with these files of `src`, before their code runs. It includes `main.ts`, which is a bundle
 * of its own.
 */
export function loadedWith(...sources: readonly string[]): Loaded {
  const files = new Set<string>();
  const load = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    for (const imported of chunks.get(path)?.imports ?? []) load(imported);
  };
  load('main.cjs');
  for (const source of sources) {
    const holders = [...chunks].flatMap(([path, chunk]) => (chunk.sources.includes(source) ? path : []));
    const path = holders.find((name) => name !== 'main.cjs');
    if (path === undefined) throw new Error(`${source} is in no file of the built program`);
    load(path);
  }
  const loaded = [...files].flatMap((path) => chunks.get(path) ?? []);
  return {
    sources: sorted(loaded.flatMap((chunk) => chunk.sources)),
    packages: sorted(loaded.flatMap((chunk) => chunk.packages)),
    files: sorted(files),
  };
}

function readChunk({ inputs, imports }: Bundle[string]): Chunk {
  const loaded = imports.filter(({ kind }) => kind === 'import-statement');
  const [external, own] = [true, undefined].map((isExternal) =>
    loaded.filter((imported) => imported.external === isExternal).map(({ path }) => path),
  );
  const paths = Object.keys(inputs);
  return {
    sources: paths.filter((path) => path.startsWith('src/')),
    packages: [
      ...paths.flatMap((path) => /(?:^|:)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
      ...(external ?? []).filter((name) => !name.startsWith('node:')),
    ],
    imports: (own ?? []).map((path) => basename(path)),
  };
}

function sorted(names: Iterable<string>): readonly string[] {
  return [...new Set(names)].sort();
}
