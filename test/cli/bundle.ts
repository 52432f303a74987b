import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const folder = join(import.meta.dirname, '../../dist/program');

/** One file of the built program. */
interface Chunk {
  /** The files of `src` that are in it. */
  readonly sources: readonly string[];
  /** The npm packages that are in it or imported by it. */
  readonly packages: readonly string[];
  /** The chunks that are loaded with it. */
  readonly imports: readonly string[];
}

/** What is loaded together. */
export interface Loaded {
  readonly sources: readonly string[];
  readonly packages: readonly string[];
  /** The files of the built program. */
  readonly files: readonly string[];
}

const chunks = new Map(readdirSync(folder).map((name) => [name, readChunk(name)]));

/** What is loaded with these files of `src`, before any of their code runs; after `main.ts`, which is a bundle of its own. */
export function loadedWith(...sources: readonly string[]): Loaded {
  const files = new Set<string>();
  const load = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    for (const imported of chunks.get(path)?.imports ?? []) load(imported);
  };
  load('main.js');
  for (const source of sources) {
    const holders = [...chunks].flatMap(([path, chunk]) => (chunk.sources.includes(source) ? path : []));
    const path = holders.find((name) => name !== 'main.js');
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

function readChunk(path: string): Chunk {
  const code = readFileSync(join(folder, path), 'utf8');
  const imported = [...code.matchAll(/^(?:import |\} from )"([^"]+)";$/gm)].map(([, name = '']) => name);
  const bundled = [...code.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)];
  const isOwn = (name: string) => name.startsWith('.');
  return {
    sources: [...code.matchAll(/^\/\/ (src\/\S+)$/gm)].map(([, source = '']) => source),
    packages: [
      ...bundled.map(([, name = '']) => name),
      ...imported.filter((name) => !isOwn(name) && !name.startsWith('node:')),
    ],
    imports: imported.filter(isOwn).map((name) => basename(name)),
  };
}

function sorted(names: Iterable<string>): readonly string[] {
  return [...new Set(names)].sort();
}
