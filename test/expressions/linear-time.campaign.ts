import { afterAll, describe, expect, it, vi } from 'vitest';
import { trackedFiles } from '../tracked-files.ts';
import { slowString } from './slow-string.ts';
import { literalsOf, madeExpressions, type SourceExpression } from './source-expressions.ts';

const length = 100_000;
const limitMs = 50;

const sources = trackedFiles('src/*.ts');
const made = madeExpressions(sources);

/** The regular expressions that files compile from text when they are loaded. */
async function loadedExpressions(): Promise<SourceExpression[]> {
  const loaded: SourceExpression[] = [];
  const Original = RegExp;
  function Recording(pattern: string, flags?: string): RegExp {
    const expression = new Original(pattern, flags);
    const [, path = ''] = /\/(src\/[\w/-]+\.ts)/.exec(new Error().stack?.split('\n')[2] ?? '') ?? [];
    loaded.push({ path, expression });
    return expression;
  }
  vi.resetModules();
  vi.stubGlobal('RegExp', Object.assign(Recording, { prototype: Original.prototype }));
  for (const { path } of made) await import(new URL(`../../${path}`, import.meta.url).pathname);
  vi.unstubAllGlobals();
  return loaded.filter(({ path }) => path !== '');
}

function tooSlow(expressions: readonly SourceExpression[]): string[] {
  const distinct = new Map(expressions.map((found) => [String(found.expression), found]));
  return [...distinct.values()].flatMap(({ path, expression }) => {
    const string = slowString(expression, length, limitMs);
    return string === undefined ? [] : [`${path} ${expression}: ${JSON.stringify(string)}`];
  });
}

describe('the regular expressions of the program', () => {
  afterAll(() => {
    vi.resetModules();
  });

  it('take linear time, whatever the text', () => {
    const literals = literalsOf(sources);
    expect(literals.length).toBeGreaterThan(300);
    expect(tooSlow(literals)).toEqual([]);
  });

  it('take linear time if they are made of text', async () => {
    const loaded = await loadedExpressions();
    const missing = made.filter(
      ({ path, atLoad }) => loaded.filter((one) => one.path === path).length < atLoad,
    );
    expect(missing).toEqual([]);
    expect(tooSlow(loaded)).toEqual([]);
  });

  it('are never made of data', () => {
    expect(made.filter(({ inFunctions }) => inFunctions > 0)).toEqual([]);
  });

  it.each([/^(a+)+$/, /\.?0+$/, /<(b)>[\s\S]*?<\/\1>/g])('are measured: %s takes longer', (slow) => {
    expect(slowString(slow, length, limitMs)).toBeDefined();
  });
});
