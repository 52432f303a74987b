import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { anchors, documentationPages, relativeLinks } from './markdown.ts';

const pages = documentationPages();
const readme = pages.find(({ path }) => path === 'README.md')?.text ?? '';

function isBroken(path: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path : join(dirname(path), file);
  if (!existsSync(target)) return true;
  return anchor !== undefined && !anchors(readFileSync(target, 'utf8')).includes(anchor);
}

it.each(pages)('every link of $path leads to a file and a heading that exist', ({ path, text }) => {
  expect(relativeLinks(text).filter((link) => isBroken(path, link))).toEqual([]);
});

it('a link to a missing file or heading is noticed', () => {
  expect(
    ['docs/none.md', '#none', 'src/README.md#none'].filter((link) => !isBroken('README.md', link)),
  ).toEqual([]);
});

it('the README leads to every page, and every page back to it', () => {
  for (const { path, text } of pages.filter(({ path }) => path !== 'README.md')) {
    expect(relativeLinks(readme)).toContain(path);
    expect({ path, links: relativeLinks(text) }).toEqual({
      path,
      links: expect.arrayContaining(['../README.md#documentation']),
    });
  }
});

it('the README is read in a few minutes, and so is each page', () => {
  const tooLong = pages.filter(
    ({ path, text }) => Buffer.byteLength(text) > (path === 'README.md' ? 8 : 10) * 1024,
  );
  expect(tooLong.map(({ path }) => path)).toEqual([]);
});
