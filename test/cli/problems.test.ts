import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openPlace } from './open-place.ts';

const header = 'originId,name,categories';
/** Products whose categories the service does not have, from line 2 on. */
const refused = (count: number) => Array.from({ length: count }, (_, index) => `P-${index + 1},Cup,C-9`);

it('a push with -o none names the first 20 records that were refused, each with its reason, and how many more', async () => {
  const place = await openPlace();
  const file = place.write('p.csv', [header, ...refused(23), 'P-99,Good,']);
  const { exitCode, stdout, stderr } = await place.run(['products', 'push', 'p.csv', '-o', 'none']);
  expect(exitCode, file).toBe(6);
  expect(stdout).toBe('');
  const named = stderr.split('\n').filter((line) => line.startsWith('p.csv:'));
  expect(named).toHaveLength(20);
  expect(named[0]).toMatch(/^p\.csv:2: P-1: rejected: .*categor/);
  expect(named[19]).toMatch(/^p\.csv:21: P-20: /);
  expect(stderr).toContain('\nand 3 records more\n');
});

it('a push with -o none names no record where all is well, and none that --rejects has listed before', async () => {
  const place = await openPlace();
  place.write('p.csv', [header, 'P-1,Cup,']);
  const { stderr } = await place.run(['products', 'push', 'p.csv', '-o', 'none', '--progress', 'none']);
  expect(stderr).toMatch(/^1 product: 1 created in [\d.]+ s\n$/);
  place.write('q.csv', [header, 'P-3,,', 'P-2,Cup,']);
  const skip = ['--rejects', 'rejects.csv'];
  const skipped = await place.run(['products', 'push', 'q.csv', '-o', 'none', ...skip]);
  expect(skipped.exitCode, skipped.stderr).toBe(6);
  expect(skipped.stderr.split('\n').filter((line) => line.startsWith('q.csv:'))).toHaveLength(1);
});

it('records that are printed are not named on stderr, too', async () => {
  const place = await openPlace();
  place.write('p.csv', [header, ...refused(1)]);
  const { stdout, stderr } = await place.run(['products', 'push', 'p.csv', '-o', 'ndjson']);
  expect(stdout).toContain('P-1');
  expect(stderr).not.toContain('p.csv:2');
});

it('--problems github marks refused records in their file, and lists them in the job summary', async () => {
  const place = await openPlace();
  const summary = join(place.folder, 'summary.md');
  writeFileSync(summary, 'before\n');
  const env = {
    ...place.env,
    REVIEWCTL_PROBLEMS: 'github',
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_WORKSPACE: join(place.folder, '..'),
  };
  place.write('p.csv', [header, ...refused(1)]);
  const { exitCode, stdout, stderr } = await place.run(['products', 'push', 'p.csv', '-o', 'ndjson'], {
    env,
  });
  expect(exitCode).toBe(6);
  expect(stdout).not.toContain('::error');
  const folder = place.folder.split('/').at(-1);
  expect(stderr).toMatch(new RegExp(`^::error file=${folder}/p\\.csv,line=2,title=P-1::rejected: `, 'm'));
  const text = readFileSync(summary, 'utf8');
  expect(text).toMatch(/^before\n### reviewctl products push\n\n\| file \| line \| id \| problem \|\n/);
  expect(text).toMatch(/\n\| p\.csv \| 2 \| P-1 \| rejected: .* \|\n/);
});

it.each([['push'], ['inspect']])(
  '--problems github: %s escapes text of the input, which begins no workflow command and no markup',
  async (verb) => {
    const place = await openPlace();
    const summary = join(place.folder, 'summary.md');
    const env = { ...place.env, GITHUB_STEP_SUMMARY: summary };
    place.write('a,b:c.csv', [
      'orderOriginId,originId,productOriginId,paidPrice',
      'O-1,I-1,P-1,"::error::100%\r\n::set-env|<b>@all"',
    ]);
    const argv = ['orders', verb, 'a,b:c.csv', '--problems', 'github', '-o', 'none'];
    const { exitCode, stderr } = await place.run(argv, { env });
    expect(exitCode, stderr).toBe(3);
    const commands = stderr.split('\n').filter((line) => line.startsWith('::'));
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatch(/^::error file=a%2Cb%3Ac\.csv,line=2::paidPrice: [^\r\n]*100%25/);
    const table = readFileSync(summary, 'utf8').trimEnd().split('\n');
    expect(table).toHaveLength(5);
    expect(table[4]).not.toMatch(/<b>|@all/);
    expect(table[4]?.split(/(?<!\\)\|/)).toHaveLength(6);
  },
);

it('without problems, --problems github writes nothing', async () => {
  const place = await openPlace();
  const summary = join(place.folder, 'summary.md');
  writeFileSync(summary, '');
  place.write('p.csv', [header, 'P-1,Cup,']);
  const env = { ...place.env, GITHUB_STEP_SUMMARY: summary };
  const { stderr } = await place.run(['products', 'push', 'p.csv', '--problems', 'github'], { env });
  expect(stderr).not.toContain('::');
  expect(readFileSync(summary, 'utf8')).toBe('');
});
