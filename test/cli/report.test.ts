import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { checkedPage } from '../output/check-page.ts';
import { textIn } from '../output/parse-html.ts';
import type { CommandLine } from './run-cli.ts';
import { environmentAt, expectEnd, runShell, temporaryFolder } from './run-cli.ts';
import { type ProgramOptions, runInProcess } from './run-program.ts';

/** A folder with two recorded pushes; the first had a refused product. */
async function openPushed() {
  const folder = temporaryFolder();
  const sandbox = await serveSandbox({ port: 0, products: 5, orders: 60, reviews: 90 });
  onTestFinished(() => sandbox.close());
  const env = environmentAt(folder, sandbox);
  const run = (argv: CommandLine, options?: ProgramOptions) =>
    runInProcess(argv, { env, cwd: folder, ...options });
  writeFileSync(join(folder, 'products.csv'), 'originId,name\nP2,\nP1,머그컵\n');
  writeFileSync(join(folder, 'more.csv'), 'originId,name\nP3,Cup\n');
  expectEnd(await run('products push products.csv'), 6);
  expectEnd(await run('products push more.csv'), 0);
  const ids = (await run('runs list -o ids')).stdout.trim().split('\n');
  const page = (name: string) => checkedPage(readFileSync(join(folder, name), 'utf8'));
  return { folder, env, run, page, ids };
}

test('report run writes a page with the outcomes of the run, named after it', async () => {
  const { run, page, ids } = await openPushed();
  const [, first = ''] = ids;
  expect(await run(`report run ${first}`)).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `report written to run-${first}.html\n`,
  });
  const text = textIn(page(`run-${first}.html`));
  expect(text).toContain(`products push ${first}`);
  expect(text).toContain('1 created, 1 rejected');
  expect(text).toContain('products.csv:2');
  expect(text).toMatch(/Latency p95\d+ ms/);
  expect(text).toContain('One row for every 1 s');
  expect(text).not.toContain('P2');
  await run(`report run ${first} --with-ids --out ids.html`);
  expect(textIn(page('ids.html'))).toContain('P2');
});

test('no file is replaced unasked, and a page with ids is for its user alone', async () => {
  const { folder, run } = await openPushed();
  const path = join(folder, 'a.html');
  writeFileSync(path, 'mine');
  expectEnd(await run('report run last --out a.html'), 2, 'a.html already exists', '--overwrite');
  expect(readFileSync(path, 'utf8')).toBe('mine');
  expectEnd(await run('report run last --out a.html --overwrite'), 0);
  expect(readFileSync(path, 'utf8')).toMatch(/^<!doctype html>/);
  await run('report run last --with-ids --out ids.html');
  expect(statSync(join(folder, 'ids.html')).mode & 0o077).toBe(0);
  symlinkSync(path, join(folder, 'link.html'));
  await run('report run last --out link.html --overwrite');
  expect(lstatSync(join(folder, 'link.html')).isSymbolicLink()).toBe(true);
  expectEnd(await run('report run last --out no/such/folder.html'), 2, 'cannot be written');
});

test('a page for which the disk has no room leaves no part of it that would refuse the next try', async () => {
  const { folder, env, run } = await openPushed();
  symlinkSync('/dev/full', join(folder, 'full.html'));
  expectEnd(
    await run('report run last --out full.html --overwrite'),
    2,
    /^error: the disk is full: .*\nhint: free some space on that disk/,
  );
  // Limits files to 1 KiB; the page has about 7. A report of runs would also open the journal, which may need a larger
  // file.
  expectEnd(
    await runShell("trap '' XFSZ; ulimit -f 1; reviewctl report reviews --out cut.html", {
      env,
      cwd: folder,
    }),
    2,
    'cannot be written',
  );
  expect(existsSync(join(folder, 'cut.html'))).toBe(false);
});

test('--out - writes the page to a pipe, and none to a terminal', async () => {
  const { run } = await openPushed();
  const piped = await run('report run last --out -');
  checkedPage(piped.stdout);
  expect(piped).toMatchObject({ exitCode: 0, stderr: '' });
  const seen = await run('report run last --out -', { isOutputTerminal: true });
  expect(seen).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('--out report.html'),
  });
});

test('report reviews reads what the filters choose, and names them on the page', async () => {
  const { run, page } = await openPushed();
  const filters = '--ratings 1,2 --created-at-start 2020-01-01';
  expect(await run(`report reviews ${filters}`)).toMatchObject({
    exitCode: 0,
    stderr: 'report written to reviews.html\n',
  });
  const text = textIn(page('reviews.html'));
  expect(text).toContain('--ratings 1,2');
  expect(text).not.toMatch(/rated 5 ?[1-9]/);
  await run('report reviews --order-phone 010-1234-5678 --out one.html');
  const ofOne = textIn(page('one.html'));
  expect(ofOne).toContain('--order-phone …');
  expect(ofOne).not.toContain('1234');
});
