import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isStale } from './fresh-build.ts';

const [before, built, after] = [1000, 2000, 3000];

/** A clone with a build newer than all sources. */
function builtClone() {
  const clone = mkdtempSync(join(tmpdir(), 'reviewctl-clone-'));
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  const change = (path: string, at: number) => utimesSync(join(clone, path), at, at);
  const write = (path: string, at: number) => {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), '');
    change(path, at);
  };
  write('src/cli/program.ts', before);
  write('package.json', before);
  write('dist/source-maps.json', built);
  for (const folder of ['src/cli', 'src']) change(folder, before);
  return { clone, change, write };
}

test('a program that was built after its sources is tested as it is', () => {
  expect(isStale(builtClone().clone)).toBe(false);
});

test.each<readonly [string, (place: ReturnType<typeof builtClone>) => void]>([
  ['of which a source is newer', ({ change }) => change('src/cli/program.ts', after)],
  ['of which a source was removed', ({ change }) => change('src/cli', after)],
  ['whose packages are newer', ({ change }) => change('package.json', after)],
  ['that is missing', ({ clone }) => rmSync(join(clone, 'dist'), { recursive: true })],
])('a program %s is built before it is tested', (_, make) => {
  const place = builtClone();
  make(place);
  expect(isStale(place.clone)).toBe(true);
});
