import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allSurfaces } from '../../src/cli/help/find-surface.ts';
import { manPage, manPageFile, versionDates } from '../../src/cli/help/man-page.ts';
import { temporaryFolder } from './run-cli.ts';

const surfaces = await allSurfaces();
const pages = surfaces.map((surface) => ({ surface, page: manPage(surface) }));

test('every command has a page, named like it, and the package says where', () => {
  expect(manPageFile('')).toBe('reviewctl.1');
  expect(manPageFile('orders push')).toBe('reviewctl-orders-push.1');
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const files = surfaces.map(({ words }) => `./dist/man/${manPageFile(words)}`);
  // npm links exactly the files listed here.
  expect(manifest.man).toEqual(files.toSorted());
});

test('every page shows the date of this version, whenever it was built', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const date = versionDates[version];
  expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
  for (const { page } of pages)
    expect(page).toMatch(
      new RegExp(`^\\.TH "[A-Z\\\\-]+" "1" "${date}" "reviewctl ${version}" "reviewctl"\n`),
    );
});

test('every page has the sections that readers of man pages expect, in their order', () => {
  for (const { page } of pages) {
    const headings = [...page.matchAll(/^\.SH (.*)$/gm)].map(([, heading]) => heading);
    const order = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'ENVIRONMENT', 'EXIT CODES', 'SEE ALSO'];
    expect(headings.filter((heading) => order.includes(heading ?? ''))).toEqual(order);
  }
});

test('a page names every word that a flag takes, also those that the help leaves out', () => {
  for (const { surface, page } of pages) {
    if (surface.commands.length > 0) continue;
    const plain = page.replaceAll('\\-', '-');
    const words = surface.flags.flatMap(({ choices = [] }) => choices);
    expect(words.filter((word) => !plain.includes(word))).toEqual([]);
  }
});

test('a page shows each flag of its command once, with its help', () => {
  for (const { surface, page } of pages) {
    if (surface.commands.length > 0) continue;
    const shown = [...page.matchAll(/^\.B (?:\\-\w, )?\\-\\-([\w\\-]+)/gm)].map(([, name = '']) =>
      name.replaceAll('\\-', '-'),
    );
    expect(shown).toEqual([...surface.flags.map(({ name }) => name), 'help']);
  }
});

test('no text of a page is taken for a macro or lost in another charset', () => {
  const macros = /^\.(?:TH|SH|SS|TP|B|BR|nf|fi)\b/;
  for (const { page } of pages) {
    expect(page).toMatch(/^[\n -~]*$/);
    const lines = page.split('\n');
    expect(lines.filter((line) => /^[.']/.test(line) && !macros.test(line))).toEqual([]);
    expect(lines.filter((line) => /\\(?![-e&([])/.test(line))).toEqual([]);
  }
});

test('the checker of man pages finds nothing, where one is installed', () => {
  const folder = mkdtempSync(join(temporaryFolder(), 'man-'));
  const files = pages.map(({ surface, page }) => {
    const path = join(folder, manPageFile(surface.words));
    writeFileSync(path, page);
    return path;
  });
  const findings = isInstalled('mandoc')
    ? said('mandoc', ['-T', 'lint', '-W', 'error', ...files])
    : isInstalled('groff')
      ? said('groff', ['-man', '-Tutf8', '-ww', '-z', ...files])
      : '';
  expect(findings).toBe('');
});

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The output of a checker, from both streams. */
function said(program: string, args: readonly string[]): string {
  return execFileSync('bash', ['-c', '"$@" 2>&1 || true', program, program, ...args], { encoding: 'utf8' });
}
