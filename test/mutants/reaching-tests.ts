import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { importsOf } from '../law.ts';

/** A quick test file from which imports lead to a source. */
export interface ReachingTest {
  /** How many imports: the nearest tests notice most. */
  readonly distance: number;
  /** How many files it loads, none if it has the name of the source: light tests are quick tests. */
  readonly weight: number;
}

export type ReachingTests = (source: string) => ReadonlyMap<string, ReachingTest>;

/** Reads what every file of the sources and the tests imports, from the root of the repository. */
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

/** How many steps lead from a file to each that can be reached, itself included. */
function distancesFrom(
  start: string,
  steps: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const distances = new Map([[start, 0]]);
  // A map takes in what is added while it is walked through, nearest first.
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
