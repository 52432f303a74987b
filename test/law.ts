/*
 * The law of `docs/architecture.md`: which room may import which, and, parsed from that page, the home room of each npm
 * package.
 */

type Places = readonly (readonly string[])[];

export interface Law {
  /** Rooms from left to right; rooms at the same place must not import each other. */
  readonly places: Places;
  /** The folders of a room in the same form. Files directly in the room come after all of them. */
  readonly folders: ReadonlyMap<string, Places>;
  /** For each package: the rooms, or single files (`base/sqlite.ts`), that may import it. */
  readonly homes: ReadonlyMap<string, readonly string[]>;
}

export interface SourceFile {
  /** Relative to the root of the repository: `src/client/pool.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly specifier: string;
  /** The time of the import: `type` never, `eager` when the file is loaded, `lazy` on demand. */
  readonly when: 'type' | 'eager' | 'lazy';
}

/** The line of the map with the order of rooms. */
export function orderIn(map: string): string | undefined {
  return /^ {4}(\w+ < .*)$/m.exec(map)?.[1];
}

/** The lines of the map with the order of folders in a room: `input/ records < open`. */
export function folderOrdersIn(map: string): string[] {
  return [...map.matchAll(/^ {4}(\w+\/ [\w{].*)$/gm)].map(([, line = '']) => line);
}

/**
 * The law from a line with the order of rooms, lines with the order of their folders, and a map with the table of
 * packages and homes.
 */
export function lawOf(order: string, folderOrders: readonly string[], map: string): Law {
  const rows = [...map.matchAll(/^\| (?<packages>[^|]+) \| (?<homes>[^|]+) \|$/gm)];
  return {
    places: placesOf(order),
    folders: new Map(
      folderOrders.map((line) => {
        const [room = '', folders = ''] = line.split('/ ');
        return [room, placesOf(folders)];
      }),
    ),
    homes: new Map(
      rows.flatMap(({ groups = {} }) =>
        (groups['packages'] ?? '').split(', ').map((name) => [name, (groups['homes'] ?? '').split(', ')]),
      ),
    ),
  };
}

function placesOf(order: string): Places {
  return order.split(' < ').map((place) => place.match(/[\w-]+/g) ?? []);
}

/** Every import of a formatted source file: statements, re-exports, `import()` and types from `import()`. */
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

/** Every breach of the law in these files, as `file: breach`. */
export function breachesOf(files: readonly SourceFile[], law: Law): string[] {
  return files.flatMap((file) => [
    ...(placeOf(roomOf(file.path), law.places) === -1 ? [`${file.path}: its room is not in the law`] : []),
    ...(folderPlaceOf(file.path, law) === -1 ? [`${file.path}: its folder is not in the law`] : []),
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
  // The only data file outside src; it contains the version.
  if (target === 'package.json') return undefined;
  if (!target.startsWith('src/')) return `imports ${target}, which is outside src`;
  if (!target.endsWith('.ts')) return `imports '${specifier}' without its extension`;
  const [from, to] = [roomOf(importer), roomOf(target)];
  if (from === to) return breachOfFolders(importer, target, law);
  const [fromPlace, toPlace] = [placeOf(from, law.places), placeOf(to, law.places)];
  return breachOfPlaces(target, { name: from, place: fromPlace }, { name: to, place: toPlace });
}

function breachOfFolders(importer: string, target: string, law: Law): string | undefined {
  const [from, to] = [folderOf(importer), folderOf(target)];
  if (from === to || !law.folders.has(roomOf(importer))) return undefined;
  return breachOfPlaces(
    target,
    { name: from ?? roomOf(importer), place: folderPlaceOf(importer, law) },
    { name: to ?? `${roomOf(target)} itself`, place: folderPlaceOf(target, law) },
  );
}

interface Place {
  readonly name: string;
  readonly place: number;
}

function breachOfPlaces(target: string, from: Place, to: Place): string | undefined {
  if (to.place < from.place) return undefined;
  return to.place === from.place
    ? `imports ${target}: ${from.name} and ${to.name} do not know each other`
    : `imports ${target}: ${to.name} is to the right of ${from.name}`;
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

/** `client` for `src/client/pool.ts`; `main` for `src/main.ts`. */
function roomOf(path: string): string {
  return path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}

/** `cells` for `src/input/cells/text.ts`; undefined for a file directly in the room. */
function folderOf(path: string): string | undefined {
  const [, , folder, file] = path.split('/');
  return file === undefined ? undefined : folder;
}

function placeOf(name: string, places: Places): number {
  return places.findIndex((names) => names.includes(name));
}

function folderPlaceOf(path: string, { folders }: Law): number {
  const places = folders.get(roomOf(path));
  const folder = folderOf(path);
  if (places === undefined || folder === undefined) return Number.POSITIVE_INFINITY;
  return placeOf(folder, places);
}
