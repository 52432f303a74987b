import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { displayWidth } from '../src/output/terminal/display-width.ts';

const drawn = promisify(execFile)(process.execPath, ['docs/terminal-session.js']);
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

test('the session that the README shows is what the program does today', async () => {
  const { stdout } = await drawn;
  await expect(stdout).toMatchFileSnapshot('../docs/terminal-session.svg');
});

test('each piece of the picture has the cells that a terminal gives its text', async () => {
  const { stdout } = await drawn;
  const pieces = [
    ...stdout.matchAll(/<text class="\w+" x="\d+" y="\d+" textLength="(\d+)">([^<]+)<\/text>/g),
  ];
  expect(pieces.length).toBeGreaterThan(50);
  const cells = pieces.map(([, length]) => Number(length) / 8);
  const texts = pieces.map(([, , text = '']) =>
    text.replaceAll(/&(\w+);/g, (_, name) => entities[name] ?? ''),
  );
  expect(cells).toEqual(texts.map(displayWidth));
});
