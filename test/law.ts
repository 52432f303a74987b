/*
 * The law of `docs/architecture.md`: which room may import which, and, read from the page itself, which room is the home of each npm
 * package.
 */

export interface Law {
  /** Rooms from left to right; those that share a place do not know each other. */
  readonly places: readonly (readonly string[])[];
  /** For each package: the rooms, or the single files (`base/sqlite.ts`), that may import it. */
  readonly homes: ReadonlyMap<string, readonly string[]>;
}

export interface SourceFile {
  /** Below the root of the repository, `src/client/pool.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly specifier: string;
  /** When it happens: `type` never, `eager` as the file is loaded, `lazy` when the code asks for it. */
  readonly when: 'type' | 'eager' | 'lazy';
}

/** The one line of the map that orders the rooms. */
export function orderIn(map: string): string | undefined {
  return /^ {4}(\w+ < .*)$/m.exec(map)?.[1];
}

/** The law of a line that orders the rooms, and of a map with the table of packages and homes. */
export function lawOf(order: string, map: string): Law {
  const rows = [...map.matchAll(/^\| (?<packages>[^|]+) \| (?<homes>[^|]+) \|$/gm)];
  return {
    places: order.split(' < ').map((place) => place.match(/\w+/g) ?? []),
    homes: new Map(
      rows.flatMap(({ groups = {} }) =>
        (groups['packages'] ?? '').split(', ').map((name) => [name, (groups['homes'] ?? '').split(', ')]),
      ),
    ),
  };
}

/** Every import of a formatted source file: statements, re-exports, `import()` and the types it is asked for. */
export function importsOf(text: string): Import[] {
  const statements = text.matchAll(/^(?:import|export)( type)? (?:[^'"`;=()]*? from )?'([^']+)'/gm);
  const calls = text.matchAll(/(\btypeof )?\bimport\('([^']+)'\)/g);
  return [
    ...[...statements].map(
      ([, type, specifier = '']) => ({ specifier, when: type ? 'type' : 'eager' }) as const,
    ),
    ...[...calls].map(([, type, specifier = '']) => ({ specifier, when: type ? 'type' : 'lazy' }) as const),
  ];
}

/** Every breach of the law in these files, as `file: what is wrong`. */
export function breachesOf(files: readonly SourceFile[], law: Law): string[] {
  return files.flatMap((file) => [
    ...(placeOf(roomOf(file.path), law) === -1 ? [`${file.path}: its room is not in the law`] : []),
    ...importsOf(file.text).flatMap((found) => {
      const breach = found.specifier.startsWith('.')
        ? breachOfRooms(file.path, found.specifier, law)
        : breachOfHomes(file.path, found, law);
      return breach === undefined ? [] : [`${file.path}: ${breach}`];
    }),
    ...(/(?<![.\w])fetch\(/.test(file.text) ? [`${file.path}: calls the built-in fetch`] : []),
  ]);
}

function breachOfRooms(importer: string, specifier: string, law: Law): string | undefined {
  const target = new URL(specifier, `file:///${importer}`).pathname.slice(1);
  // The one file outside src that is data: it holds the version.
  if (target === 'package.json') return undefined;
  if (!target.startsWith('src/')) return `imports ${target}, which is outside src`;
  if (!target.endsWith('.ts')) return `imports '${specifier}' without its extension`;
  const [from, to] = [roomOf(importer), roomOf(target)];
  if (from === to || placeOf(to, law) < placeOf(from, law)) return undefined;
  const areNeighbours = placeOf(to, law) === placeOf(from, law);
  return areNeighbours
    ? `imports ${target}: ${from} and ${to} do not know each other`
    : `imports ${target}: ${to} is to the right of ${from}`;
}

function breachOfHomes(importer: string, { specifier, when }: Import, law: Law): string | undefined {
  if (specifier.startsWith('node:')) return undefined;
  const [scope = '', name = ''] = specifier.split('/');
  const homes = law.homes.get(specifier.startsWith('@') ? `${scope}/${name}` : scope);
  if (homes === undefined) return `imports ${specifier}, which has no home`;
  if (specifier === 'undici' && when !== 'type') return 'imports the whole of undici, which is slow to load';
  const isHome = homes.some((home) => home === roomOf(importer) || `src/${home}` === importer);
  return isHome ? undefined : `imports ${specifier}, whose home is ${homes.join(', ')}`;
}

/** `client` of `src/client/pool.ts`; `main` of `src/main.ts`. */
function roomOf(path: string): string {
  return path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}

function placeOf(room: string, { places }: Law): number {
  return places.findIndex((rooms) => rooms.includes(room));
}
