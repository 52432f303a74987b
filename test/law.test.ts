import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breachesOf, folderOrdersIn, importsOf, lawOf, orderIn } from './law.ts';
import { trackedFiles } from './tracked-files.ts';

/** A copy of the law, so that a change of the map cannot relax it. */
const order =
  'base < contract < { client, sandbox, input, store, payer, config } < { push, settle } < output < cli < main';

/** Likewise a copy of the order of folders within rooms. */
const folderOrders = [
  'input/ records < { open, cells } < formats < mapping < checks < { orders, rejects } < inspect',
  'sandbox/ state < { rules, faults, webhook } < jobs < api < data < control',
  'store/ sql < { runs, locks, checkpoints, plans, ledger } < { journal, state } < open-store',
  'push/ steps < compile < fields < lookup < decide < plan < track < send < flows < undo',
  'settle/ rules < flow < { webhook, manual }',
  'output/ terminal < views < { formats, reports }',
  'cli/ flags < settings < runtime < templates < commands < help',
];

const map = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8');
const law = lawOf(order, folderOrders, map);
const sources = trackedFiles('src').filter(({ path }) => path.endsWith('.ts') && !path.endsWith('.d.ts'));

describe('the law', () => {
  it('is kept by every file of src', () => {
    expect(breachesOf(sources, law)).toEqual([]);
  });

  it('is what the map says, of the rooms there are', () => {
    expect(orderIn(map)).toBe(order);
    const rooms = new Set(sources.map(({ path }) => path.split('/')[1]?.replace(/\.ts$/, '')));
    expect(rooms).toEqual(new Set(law.places.flat()));
    expect(folderOrdersIn(map)).toEqual(folderOrders);
  });

  it('has one way to what stores: only the files beside their folders know the adapters', () => {
    const isAdapter = (path: string) => /^src\/store\/locks\/(?:file|session)-locks\.ts$/.test(path);
    const importers = sources.filter(({ path, text }) =>
      importsOf(text).some(({ specifier }) =>
        isAdapter(new URL(specifier, `file:///${path}`).pathname.slice(1)),
      ),
    );
    const outside = importers.map(({ path }) => path).filter((path) => !isAdapter(path));
    const ways = ['open-store', 'prepare-state'];
    expect(outside.toSorted()).toEqual(ways.map((name) => `src/store/${name}.ts`));
  });

  it('has a home for every dependency', () => {
    const { optionalDependencies } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    );
    expect(Object.keys(optionalDependencies).filter((name) => !law.homes.has(name))).toEqual([]);
  });
});

const madeUp = lawOf(
  'base < contract < { client, sandbox } < cli < main',
  ['client/ wire < { retry, rate } < api'],
  [
    '| package | home |',
    '|---|---|',
    '| undici | client |',
    '| hono, @hono/node-server | sandbox |',
    '| sqlite | base/sqlite.ts, used by sandbox |',
  ].join('\n'),
);

const breaches: readonly (readonly [path: string, text: string, breach: string])[] = [
  ['src/base/a.ts', "import { b } from '../cli/b.ts';", 'imports src/cli/b.ts: cli is to the right of base'],
  [
    'src/client/a.ts',
    "import { b } from '../sandbox/deep/b.ts';",
    'imports src/sandbox/deep/b.ts: client and sandbox do not know each other',
  ],
  [
    'src/cli/x/a.ts',
    "import { main } from '../../main.ts';",
    'imports src/main.ts: main is to the right of cli',
  ],
  ['src/cli/a.ts', "import { b } from '../../test/b.ts';", 'imports test/b.ts, which is outside src'],
  ['src/cli/a.ts', "import { b } from './b';", "imports './b' without its extension"],
  ['src/attic/a.ts', '', 'its room is not in the law'],
  ['src/client/attic/a.ts', '', 'its folder is not in the law'],
  [
    'src/client/wire/a.ts',
    "import { b } from '../api/b.ts';",
    'imports src/client/api/b.ts: api is to the right of wire',
  ],
  [
    'src/client/rate/a.ts',
    "import { b } from '../retry/deep/b.ts';",
    'imports src/client/retry/deep/b.ts: rate and retry do not know each other',
  ],
  [
    'src/client/wire/deep/a.ts',
    "import { b } from '../../b.ts';",
    'imports src/client/b.ts: client itself is to the right of wire',
  ],
  ['src/cli/a.ts', "import { x } from 'left-pad';", 'imports left-pad, which has no home'],
  ['src/cli/a.ts', "import type { x } from 'hono';", 'imports hono, whose home is sandbox'],
  ['src/cli/a.ts', "import '@hono/node-server/x';", 'imports @hono/node-server/x, whose home is sandbox'],
  [
    'src/sandbox/a.ts',
    "await import('sqlite');",
    'imports sqlite, whose home is base/sqlite.ts, used by sandbox',
  ],
  ['src/client/a.ts', "import { Pool } from 'undici';", 'imports the whole of undici, which is slow to load'],
  ['src/client/a.ts', "await import('undici');", 'imports the whole of undici, which is slow to load'],
  ['src/client/a.ts', 'const reply = await fetch(url);', 'calls the built-in fetch'],
];

const lawful: readonly (readonly [path: string, text: string])[] = [
  ['src/cli/a.ts', "import { b } from '../client/b.ts';\nimport { c } from './c.ts';"],
  ['src/client/api/a.ts', "import { b } from '../wire/deep/b.ts';\nimport { c } from './c.ts';"],
  ['src/client/a.ts', "import { b } from './api/b.ts';\nimport { c } from './c.ts';"],
  ['src/sandbox/a/b.ts', "import { b } from '../c.ts';"],
  ['src/base/version.ts', "import manifest from '../../package.json' with { type: 'json' };"],
  ['src/base/sqlite.ts', "const { open } = await import('sqlite');"],
  ['src/client/a.ts', "import type { Dispatcher } from 'undici';\nawait import('undici/lib/pool.js');"],
  ['src/client/a.ts', "import { readFile } from 'node:fs/promises';\nconst fetched = cache.fetch(key);"],
  ['src/main.ts', "import { program } from './cli/program.ts';"],
];

describe('a breach of the law', () => {
  it.each(breaches)('is told of %s with %j', (path, text, breach) => {
    expect(breachesOf([{ path, text }], madeUp)).toEqual([`${path}: ${breach}`]);
  });

  it.each(lawful)('is not seen in %s with %j', (path, text) => {
    expect(breachesOf([{ path, text }], madeUp)).toEqual([]);
  });

  it('is looked for in every way to import', () => {
    const text = [
      "import a, { type B } from './1.ts';",
      "import type { C } from './2.ts';",
      "import * as d from './3.ts';",
      "import './4.ts';",
      "import {\n  b,\n  type C,\n} from './10.ts';",
      "export { b } from './11.ts';",
      "export * from './5.ts';",
      "export type { E } from './6.ts';",
      "const { f } = await import('./7.ts');",
      "type G = typeof import('./8.ts');",
      "const notAnImport = 'from ./9.ts';",
    ].join('\n');
    expect(importsOf(text).map(({ specifier, when }) => `${specifier} ${when}`)).toEqual([
      './1.ts eager',
      './2.ts type',
      './3.ts eager',
      './4.ts eager',
      './10.ts eager',
      './11.ts eager',
      './5.ts eager',
      './6.ts type',
      './7.ts lazy',
      './8.ts type',
    ]);
  });
});
