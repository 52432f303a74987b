import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { importsOf } from '../law.ts';

/** A quick test file whose imports lead to a source. */
export interface ReachingTest {
  /** The number of imports; the nearest tests kill most mutants. */
  readonly distance: number;
  /** The number of files that it loads, or 0 if it has the name of the source. Light tests are quick tests. */
  readonly weight: number;
}

export type ReachingTests = (source: string) => ReadonlyMap<string, ReachingTest>;

/** Reads the imports of all sources and tests, from the root of the repository. */
export function readReachingTests(): ReachingTests {
  const importers = new Map<string, string[]>();
  const imports = new Map<string, string[]>();
  for (const path of ['src', 'test'].flatMap(typeScriptIn)) {
    for (const { specifier, when } of importsOf(readFileSync(path, 'utf8'))) {
      if (when === 'type' || !specifier.startsWith('.')) continue;
      const imported = join(dirname(path), specifier);
      importers.set(imported, [...(importers.get(imported) ?? []), path]);
      imports.set(path, [...(imports.get(path) ?? []), imported]);
    }
  }
  return (source) => {
    const tests = [...distancesFrom(source, importers)].filter(([path]) => path.endsWith('.test.ts'));
    return new Map(
      tests.map(([path, distance]) => {
        const isNamesake = basename(path, '.test.ts') === basename(source, '.ts');
        return [path, { distance, weight: isNamesake ? 0 : distancesFrom(path, imports).size }];
      }),
    );
  };
}

/** The number of imports from a file to each reachable file, including itself. */
function distancesFrom(
  start: string,
  steps: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const distances = new Map([[start, 0]]);
  // Iteration over a map includes entries added meanwhile, so the nearest come first.
  for (const [path, distance] of distances) {
    for (const next of steps.get(path) ?? []) if (!distances.has(next)) distances.set(next, distance + 1);
  }
  return distances;
}

export function typeScriptIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}
