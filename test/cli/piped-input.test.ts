import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, expectEnd, runShell, temporaryFolder } from './run-cli.ts';

const folder = temporaryFolder();
const env = {
  ...cleanEnvironment(folder),
  REVIEWCTL_BASE_URL: 'http://127.0.0.1:9',
  REVIEWCTL_TOKEN: 'unused',
};

/** The output of a dry run without the name of its input. */
async function tell(lines: string) {
  const { stdout, exitCode } = await runShell(lines, { cwd: folder, env });
  return { exitCode, told: stdout.replaceAll(/("file":"|already on )[^":]*/g, '$1') };
}

const push = 'reviewctl orders push --dry-run -o ndjson --rejects rejects.csv';

test.each([
  ['standard input', `cat items.csv | ${push} -`],
  ['standard input by its path', `cat items.csv | ${push} /dev/stdin`],
  ['a redirected file', `${push} - < items.csv`],
  ['process substitution', `${push} <(cat items.csv)`],
  ['a named pipe as standard input', `mkfifo pipe; cat items.csv > pipe & ${push} - < pipe`],
  ['a descriptor', `${push} /dev/fd/9 9< <(cat items.csv)`],
  ['a packed descriptor', `${push} /dev/fd/9 9< <(gzip -c items.csv)`],
  ['a packed stream', `gzip -c items.csv | ${push} -`],
])('%s is pushed as the file is, with what is left out of it', async (_how, lines) => {
  writeFileSync(
    join(folder, 'items.csv'),
    'orderOriginId,originId,productOriginId\nO1,I1,P1\nO2,1.23457E+15,P1\nO3,I3,\nO1,I1,P2\nO4,I4,P1\n',
  );
  const ofFile = expectEnd(await tell(`${push} items.csv`), 6);
  expect(ofFile.told.trimEnd().split('\n')).toHaveLength(5);
  expect(await tell(lines)).toEqual(ofFile);
});

test('a pipe whose writer leaves without a word is an empty file, at once', async () => {
  writeFileSync(join(folder, 'empty.csv'), '');
  const ofFile = await tell(`${push} empty.csv`);
  expect(await tell(`${push} <(true)`)).toEqual(ofFile);
  expect(await tell(`${push} /dev/stdin < <(true)`)).toEqual(ofFile);
});
