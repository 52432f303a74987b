import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { checkedPage } from '../output/check-page.ts';
import { findBrowser, withBrowser } from './browser.ts';
import { environmentAt, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const folder = temporaryFolder();
const reports: Readonly<Record<string, readonly string[]>> = {
  run: ['report', 'run', 'last', '--with-ids'],
  reviews: ['report', 'reviews'],
  ledger: ['report', 'ledger', '-c', 'max-amount-per-day=1000000', '--month', '2020-02'],
};
const pathOf = (name: string) => join(folder, `${name}.html`);

beforeAll(async () => {
  const sandbox = await serveSandbox({ port: 0, products: 8, orders: 60, reviews: 300 });
  const env = environmentAt(folder, sandbox);
  const rows = Array.from(
    { length: 30 },
    (_, index) => `P${index},${index % 9 === 0 ? '' : `머그컵 ${index}`}`,
  );
  writeFileSync(join(folder, 'products.csv'), `originId,name\n${rows.join('\n')}\n`);
  await runInProcess('products push products.csv', { env, cwd: folder });
  await runInProcess('ledger init --yes', { env, cwd: folder });
  for (const [name, argv] of Object.entries(reports)) {
    expect(await runInProcess([...argv, '--out', pathOf(name)], { env, cwd: folder })).toMatchObject({
      exitCode: 0,
      stderr: `report written to ${pathOf(name)}\n`,
    });
  }
  await sandbox.close();
});

test.each(Object.keys(reports))('the %s report is a sound page before a browser sees it', (name) => {
  checkedPage(readFileSync(pathOf(name), 'utf8'));
});

const browserPath = findBrowser();
if (browserPath === undefined)
  console.log(
    'Chromium was not found (CHROMIUM can name it), so the pages of reports were not opened in a browser.',
  );

for (const name of browserPath === undefined ? [] : Object.keys(reports)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the ${name} report opens in a ${colorScheme} browser without a message, a request or a part that is cut off`, async () => {
      await withBrowser(
        browserPath ?? '',
        { colorScheme, viewport: { width: 400, height: 800 } },
        async (browser) => {
          const page = await browser.newPage();
          const seen: string[] = [];
          page.on('console', (message) => seen.push(`console: ${message.text()}`));
          page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
          page.on('request', (request) => {
            if (!/^data:/.test(request.url())) seen.push(`request: ${request.url()}`);
          });
          const address = `file://${pathOf(name)}`;
          await page.goto(address);
          for (const width of [400, 1280]) {
            await page.setViewportSize({ width, height: 800 });
            expect(
              await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
            ).toBeLessThanOrEqual(0);
          }
          const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
          expect(paper).toBe(colorScheme === 'light' ? 'rgb(252, 251, 249)' : 'rgb(22, 21, 19)');
          expect(seen).toEqual([`request: ${address}`]);
        },
      );
    });
  }

  test(`all of the ${name} report is printed`, async () => {
    await withBrowser(browserPath ?? '', { viewport: { width: 680, height: 900 } }, async (browser) => {
      const page = await browser.newPage();
      await page.goto(`file://${pathOf(name)}`);
      await page.emulateMedia({ media: 'print' });
      const cut = await page
        .locator('.scroll')
        .evaluateAll((frames) =>
          frames
            .filter(
              ({ clientHeight, clientWidth, scrollHeight, scrollWidth }) =>
                clientHeight > 0 && (scrollHeight > clientHeight + 1 || scrollWidth > clientWidth + 1),
            )
            .map((frame) => frame.getAttribute('aria-label')),
        );
      expect(cut).toEqual([]);
      expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
    });
  });
}
