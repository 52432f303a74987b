import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../src/base/failure.ts';
import { cleanEnvironment, runShell, temporaryFolder } from './cli/run-cli.ts';

const readme = readFileSync('README.md', 'utf8');

interface Block {
  readonly command: string;
  /** Lines in which `…` stands for anything; a line that is `…` alone stands for any lines. */
  readonly expected: readonly string[];
}

/** The commands of the README's console blocks, each with the output it promises. */
function consoleCommands(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...expected] = part.trimEnd().split('\n');
        return { command, expected };
      }),
  );
}

/** Files whose content the README shows with `cat`. */
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('every console block of the README does what it shows', async () => {
  const folder = temporaryFolder();
  const commands = consoleCommands(readme);
  for (const [name, content] of shownFiles(commands)) writeFileSync(join(folder, name), content);
  const port = await freePort();
  const token = 'cmVhZG1lOnRva2Vu';
  const script = commands.map(({ command }, index) => {
    const line = command
      .replace('REVIEWCTL_TOKEN=…', `REVIEWCTL_TOKEN=${token}`)
      .replaceAll('4010', String(port));
    if (!line.startsWith('reviewctl sandbox serve')) return `{ ${line}\n} > ${index}.out 2>&1`;
    // The block shows a second shell; here the service goes to the background and is waited for.
    return `${line} > serve.out 2>&1 &\nserver=$!\nuntil [ -s serve.out ]; do read -t 0.1 <> <(:) || true; done\n: > ${index}.out`;
  });
  const { stderr } = await runShell(`${script.join('\n')}\nkill $server\nwait $server`, {
    cwd: folder,
    env: { ...cleanEnvironment(folder), REVIEWCTL_SANDBOX_TOKEN: token },
  });
  expect(stderr).toBe('');
  for (const [index, { command, expected }] of commands.entries()) {
    const shown = readFileSync(join(folder, `${index}.out`), 'utf8');
    if (!asPattern(expected).test(shown))
      expect.soft({ command, shown }).toEqual({ command, shown: expected.join('\n') });
  }
  expect(commands.length).toBeGreaterThan(10);
});

test('the README has the table of exit codes', () => {
  const rows = Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  expect(readme).toContain(`|---|---|\n${rows.join('\n')}\n`);
});
