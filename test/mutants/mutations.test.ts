import { runInThisContext } from 'node:vm';
import { expect, test } from 'vitest';
import { mutationsOf } from './mutations.ts';
import { switchable } from './switchable.ts';

/** All mutants of a one-line source. */
function mutantsOf(text: string): readonly string[] {
  return mutationsOf('source.ts', text).map(
    ({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end),
  );
}

test.each<[source: string, mutants: readonly string[]]>([
  ['const isLess = a < b;', ['const isLess = a <= b;', 'const isLess = a >= b;']],
  ['const sum = a + 1;', ['const sum = a - 1;']],
  ['const text = a + `b`;', ["const text = a + '';"]],
  ['const both = a ?? b;', ['const both = (a) && (b);', 'const both = a;', 'const both = b;']],
  [
    'const name = a?.b?.[0]?.();',
    ['const name = a?.b?.[0]();', 'const name = a?.b[0]?.();', 'const name = a.b?.[0]?.();'],
  ],
  ['if (a) b();', ['if (true) b();', 'if (false) b();', 'if (a) ']],
  [
    'function f() { if (a) return undefined; return undefined; }',
    [
      'function f() { if (true) return undefined; return undefined; }',
      'function f() { if (false) return undefined; return undefined; }',
      'function f() { if (a)  return undefined; }',
    ],
  ],
  [
    'function f() { try { a(); return; } catch { return undefined; } }',
    ['function f() { try {  return; } catch { return undefined; } }'],
  ],
  ['while (!a) ;', ['while (false) ;', 'while (a) ;']],
  ["const kind: 'x' = 'x' as const;", ["const kind: 'x' = '' as const;"]],
  ["import a from 'a'; export * from 'b';", []],
  [
    "const o = { 'a': [''], b: true };",
    [
      "const o = { 'a': [], b: true };",
      "const o = { 'a': ['?'], b: true };",
      "const o = { 'a': [''], b: false };",
    ],
  ],
  [
    'const few = all.filter(Boolean).some(is);',
    ['const few = all.filter(Boolean).every(is);', 'const few = all.some(is);'],
  ],
])('the mutants of %s', (source, mutants) => {
  expect(mutantsOf(source)).toEqual(mutants);
});

test('a source with all its mutants is each of them while that one is switched on, and itself otherwise', () => {
  const body = "if (a < 2 && b?.c !== 'x') return [a]; a += 1; return a ?? -a;";
  const source = `function f(a, b) { ${body} }\n`;
  const numbered = mutationsOf('source.ts', source).map((mutation, id) => ({ ...mutation, id }));
  const arguments_ = [
    [1, { c: 'y' }],
    [1, { c: 'x' }],
    [2, { c: 'y' }],
    [3, undefined],
  ] as const;
  const ends = (text: string, active?: number) => {
    const key = Symbol.for('reviewctl.mutants');
    const before = Reflect.get(globalThis, key);
    Reflect.set(globalThis, key, (id: number) => id === active);
    try {
      const f = runInThisContext(`(() => { ${text}; return f; })()`);
      return arguments_.map(([a, b]) => {
        try {
          return JSON.stringify(f(a, b));
        } catch (error) {
          return String(error);
        }
      });
    } finally {
      Reflect.set(globalThis, key, before);
    }
  };
  const all = switchable(source, numbered);
  expect(all.split('\n')).toHaveLength(source.split('\n').length);
  expect(ends(all)).toEqual(ends(source));
  expect(numbered.length).toBeGreaterThan(15);
  for (const { id, start, end, ...change } of numbered) {
    const replacement = change.isStatement ? ';' : change.replacement;
    expect(ends(all, id), replacement).toEqual(
      ends(source.slice(0, start) + replacement + source.slice(end)),
    );
  }
});
