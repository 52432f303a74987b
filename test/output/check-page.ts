import { expect } from 'vitest';
import { allElements, type Element, elementsNamed, parseHtml, tableRows, textIn } from './parse-html.ts';

/**
 * Checks the rules for every page: it loads nothing, runs no script, and has colors for light and dark mode.
 */
export function checkedPage(text: string): Element {
  const page = parseHtml(text);
  const elements = allElements(page);
  const policy = elements.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy');
  expect(policy?.attributes['content']).toMatch(
    /^default-src 'none'; img-src data:; style-src 'sha256-[^']+'/,
  );
  for (const { name, attributes } of elements) {
    for (const [attribute, value] of Object.entries(attributes)) {
      expect([name, attribute]).not.toEqual([name, expect.stringMatching(/^on/i)]);
      const isAddress = /^(?:src|href|srcset|action|data|xlink:href)$/.test(attribute);
      if (isAddress) expect({ name, value }).toEqual({ name: 'link', value: 'data:,' });
      expect(attribute).not.toBe('style');
    }
  }
  expect(elementsNamed(page, 'script')).toEqual([]);
  expect(/url\((?!#)|@import/.test(text)).toBe(false);
  const defined = [...text.matchAll(/(--\w+):/g)].map(([, color]) => color);
  for (const [, used] of text.matchAll(/var\((--\w+)\)/g)) {
    expect({ used, places: defined.filter((color) => color === used).length }).toEqual({ used, places: 2 });
  }
  for (const table of elementsNamed(page, 'table')) {
    expect(elementsNamed(table, 'caption')).toHaveLength(1);
    for (const header of elementsNamed(table, 'th')) expect(header.attributes['scope']).toBe('col');
  }
  return page;
}

/** The tables of a page by caption. */
export function tablesOf(text: string) {
  const tables = elementsNamed(checkedPage(text), 'table');
  const captionOf = (table: Element) => elementsNamed(table, 'caption').map(textIn).join('');
  return new Map(tables.map((table) => [captionOf(table), tableRows(table)]));
}
