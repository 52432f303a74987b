import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, expectEnd, runCli, temporaryFolder } from './run-cli.ts';

const folder = temporaryFolder();
const env = cleanEnvironment(folder);

/** The source lines in the frames of a stack, without those of Node.js and packages. */
function sourceLines(text: string): readonly string[] {
  return [...text.matchAll(/^\s+at .*?(src\/[\w./-]+\.ts):(\d+)\)?$/gm)].map(
    ([, path = '', line]) => readFileSync(path, 'utf8').split('\n')[Number(line) - 1]?.trim() ?? '',
  );
}

test('a stack of the built program names the lines of the source', async () => {
  const { stderr } = expectEnd(await runCli('reviews list --debug', { env }), 2);
  const [thrown, ...callers] = sourceLines(stderr);
  expect(thrown).toBe('throw new Failure(');
  expect(callers.slice(0, 2)).toEqual([
    expect.stringContaining('requireBaseUrl('),
    expect.stringContaining('await useService(invocation'),
  ]);
  expect(callers.length).toBeGreaterThan(4);
  expect(callers.at(-3)).toContain('await definition.run(');
  expect(callers.at(-1)).toContain('await runProgram(');
  expect(stderr).not.toMatch(/dist\/program\/(?!chunk-\w+\.cjs:\d+:\d+\)$)/m);
});

test('so does one in JSON, and the message of a mistake without --debug', async () => {
  const { stderr } = await runCli('reviews list --debug -c log-format=json', { env });
  expect(sourceLines(JSON.parse(stderr).error.stack)[0]).toBe('throw new Failure(');
  const broken = join(folder, 'broken.cjs');
  writeFileSync(broken, "URL.canParse = () => { throw new TypeError('broken'); };");
  const call = 'reviews list -c base-url=http://localhost';
  const withBug = { env: { ...env, REVIEWCTL_TOKEN: 'test', NODE_OPTIONS: `--require=${broken}` } };
  const bug = expectEnd(await runCli(call, withBug), 1, /^error: unexpected: TypeError: broken\n/);
  expect(sourceLines(bug.stderr)[0]).toContain('URL.canParse(');
  expect(await runCli(`${call} --debug`, withBug)).toEqual(bug);
});
