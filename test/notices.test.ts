import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { expect, test } from 'vitest';

interface Output {
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
  readonly imports: readonly { readonly path: string; readonly external?: boolean }[];
}

const jsonOf = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const bundle: readonly Output[] = Object.values(jsonOf('node_modules/.cache/reviewctl/bundle.json'));
const notices = readFileSync('dist/THIRD-PARTY.txt', 'utf8')
  .split(`\n\n${'-'.repeat(80)}\n`)
  .slice(1);

/** The folders of packages with code in the bundle. */
function bundledFolders(): readonly string[] {
  const paths = bundle.flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0),
  );
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[\w-]+\/)?[\w.-]+/.exec(path) ?? []);
  return [...new Set(folders)];
}

test('the notices name every package of the bundle with its version and licence, and give the terms', () => {
  const heads = bundledFolders().map((folder) => {
    const { name, version, license } = jsonOf(`${folder}/package.json`);
    return `${name} ${version}: ${license}`;
  });
  const given = notices.map((notice) => notice.split('\n', 1)[0] ?? '');
  expect(given.toSorted()).toEqual(heads.toSorted());
  const terms =
    /permission is hereby granted|permission to use, copy, modify|apache license|redistribution and use/i;
  expect(notices.filter((notice) => !terms.test(notice))).toEqual([]);
});

test('the package depends on what the bundle leaves outside, and on nothing else', () => {
  const outside = bundle
    .flatMap(({ imports }) => imports)
    .filter(({ path, external }) => external === true && !isBuiltin(path) && !/^(?:node:|\.)/.test(path));
  // pg can use pg-native if it is installed; we never do.
  const needed = new Set(outside.map(({ path }) => path).filter((path) => path !== 'pg-native'));
  expect(Object.keys(jsonOf('package.json').optionalDependencies)).toEqual([...needed]);
});
