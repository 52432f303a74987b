import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { anchors, documentationPages, type Page, relativeLinks } from './markdown.ts';

const pages = documentationPages();

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

/** The index that lists a page: for a decision that of its folder, otherwise the README. */
function indexOf(path: string): string {
  return /^docs\/decisions\/\d/.test(path) ? 'docs/decisions/README.md' : 'README.md';
}

it.each(pages.filter(({ path }) => path !== 'README.md'))(
  '$path is listed in its index, and leads back to it',
  ({ path, text }) => {
    const index = indexOf(path);
    const listed = pages.filter((page) => page.path === index).flatMap((page) => linkedFiles(page));
    expect(listed).toContain(path);
    expect(linkedFiles({ path, text })).toContain(index);
  },
);

/** Targets of a page's links, relative to the root of the repository. */
function linkedFiles({ path, text }: Page): readonly string[] {
  return relativeLinks(text).map((link) => join(dirname(path), link.split('#')[0] ?? ''));
}

it('the README is read in a few minutes, and so is each page', () => {
  const tooLong = pages.filter(({ path, text }) => Buffer.byteLength(text) > kibibytesOf(path) * 1024);
  expect(tooLong.map(({ path }) => path)).toEqual([]);
});

function kibibytesOf(path: string): number {
  if (path === 'README.md') return 8;
  // The map is a reference, not read through.
  return path === 'src/README.md' ? 20 : 10;
}

it.each(pages.filter(({ path }) => /^docs\/decisions\/\d/.test(path)))(
  '$path says context, decision and consequences, on a screen or two',
  ({ path, text }) => {
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
    const [, number] = /\/(\d{4})-[^/]+$/.exec(path) ?? [];
    expect(headings).toEqual([
      expect.stringMatching(`^${number}\\. `),
      'Context',
      'Decision',
      'Consequences',
    ]);
    expect(text.split('\n').length).toBeLessThan(60);
  },
);
