import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../src/base/failure.ts';
import { cleanEnvironment, runShell, temporaryFolder } from './cli/run-cli.ts';
import { freePort } from './client/free-port.ts';
import { documentationPages, fencedBlocks } from './markdown.ts';

interface Block {
  readonly command: string;
  /** Lines in which `…` matches any text; a line with only `…` matches any lines. */
  readonly expected: readonly string[];
}

/** The commands in the console blocks of a page, each with its documented output. */
function consoleCommands(markdown: string): readonly Block[] {
  return fencedBlocks(markdown, 'console').flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...expected] = part.trimEnd().split('\n');
        return { command, expected };
      }),
  );
}

/** Files whose content the page shows with `cat`. */
function shownFiles(commands: readonly Block[]): readonly (readonly [string, string])[] {
  return commands.flatMap(({ command, expected }) => {
    const name = /^cat (\S+)$/.exec(command)?.[1];
    return name === undefined ? [] : [[name, `${expected.join('\n')}\n`] as const];
  });
}

function asPattern(expected: readonly string[]): RegExp {
  const lines = expected.map((line) =>
    line === '…'
      ? '(?:.*\\n)*'
      : `${line
          .split('…')
          .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
          .join('.*')}\\n`,
  );
  return new RegExp(`^${lines.join('')}$`);
}

const token = 'cmVhZG1lOnRva2Vu';

/**
 * The commands as one script, with the output of each in its own file. Every page has its own sandbox, folder and
 * state.
 */
function asScript(commands: readonly Block[], port: number): string {
  const lines = commands.map(({ command }, index) => {
    const line = command
      .replace('REVIEWCTL_TOKEN=…', `REVIEWCTL_TOKEN=${token}`)
      .replaceAll(/\b401\d\b/g, String(port));
    if (!line.startsWith('reviewctl sandbox serve')) return `{ ${line}\n} > ${index}.out 2>&1`;
    // The block shows a second shell; here the service runs in the background, and the script waits for it.
    return `${line} > serve.out 2>&1 &\nserver=$!\nuntil [ -s serve.out ]; do read -t 0.1 <> <(:) || true; done\n: > ${index}.out`;
  });
  return `${lines.join('\n')}\nkill $server\nwait $server`;
}

const executedPages = documentationPages()
  .map(({ path, text }) => ({ path, commands: consoleCommands(text) }))
  .filter(({ commands }) => commands.length > 0);

test.concurrent.for(executedPages)(
  'every console block of $path does what it shows',
  async ({ commands }, { expect }) => {
    const folder = temporaryFolder();
    for (const [name, content] of shownFiles(commands)) writeFileSync(join(folder, name), content);
    const { stderr } = await runShell(asScript(commands, await freePort()), {
      cwd: folder,
      env: { ...cleanEnvironment(folder), REVIEWCTL_SANDBOX_TOKEN: token },
    });
    expect(stderr).toBe('');
    for (const [index, { command, expected }] of commands.entries()) {
      const shown = readFileSync(join(folder, `${index}.out`), 'utf8');
      if (!asPattern(expected).test(shown))
        expect.soft({ command, shown }).toEqual({ command, shown: expected.join('\n') });
    }
  },
);

test('the README, the first steps and the pipelines are executed', () => {
  expect(executedPages.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      'README.md',
      'docs/getting-started.md',
      'docs/ko/getting-started.md',
      'docs/output.md',
    ]),
  );
});

test('the README has the table of exit codes', () => {
  const rows = Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  expect(readFileSync('README.md', 'utf8')).toContain(`|---|---|\n${rows.join('\n')}\n`);
});
