import { describe, expect, it, test } from 'vitest';
import { commands } from '../../src/cli/commands/commands.ts';
import { allSurfaces } from '../../src/cli/help/find-surface.ts';
import { helpText } from '../../src/cli/help/help-text.ts';
import type { Surface } from '../../src/cli/help/surface.ts';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const env = cleanEnvironment(temporaryFolder());
const surfaces = await allSurfaces();
const ofCommands = surfaces.filter(({ commands }) => commands.length === 0);

/** The flags of a help page in order, each after the heading of its section. */
function flagsShown(surface: Surface): readonly string[] {
  let heading = '';
  return helpText(surface, 100)
    .split('\n')
    .flatMap((line) => {
      heading = /^(\S.*):$/.exec(line)?.[1] ?? heading;
      const flag = /^ {2}(?:-\w, )?(--[\w-]+)/.exec(line)?.[1];
      return flag === undefined ? [] : [`${heading} ${flag}`];
    });
}

describe('help', () => {
  it('shows what two commands share in the same order', () => {
    const before = new Map<string, string>();
    const contradictions = ofCommands.flatMap((surface) => {
      const shown = flagsShown(surface);
      return shown.flatMap((one, index) =>
        shown.slice(index + 1).flatMap((other) => {
          before.set(`${one} < ${other}`, surface.words);
          const contrary = before.get(`${other} < ${one}`);
          return contrary === undefined ? [] : [`${one}, ${other}: ${surface.words}, ${contrary}`];
        }),
      );
    });
    expect(contradictions).toEqual([]);
  });

  it('offers --yes only where something may be written', () => {
    const offering = ofCommands.filter(({ flags }) => flags.some(({ name }) => name === 'yes'));
    expect(offering.length).toBeGreaterThan(10);
    expect(offering.filter(({ words }) => commands[words]?.writes === 'nothing')).toEqual([]);
  });
});

test.each([
  ['orders', 'orders', 'to show one: reviewctl orders get ORDER-ID'],
  ['order-items', 'order items', 'to show those of an order: reviewctl orders get ORDER-ID'],
  [
    'categories',
    'categories',
    'to show those of each product: reviewctl products list --fields originId,name,categories',
  ],
])('%s list says that the API has none, and what to do instead', async (noun, records, instead) => {
  for (const argv of [`${noun} list --limit 3`, `help ${noun} list`]) {
    expect(await runInProcess(argv, { env })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: the API has no list of ${records}\nhint: ${instead}; to see what was pushed from here: reviewctl runs list\n`,
    });
  }
});

test('a word with another end suggests the one that begins alike', async () => {
  expectEnd(await runInProcess('rewards list --status FAILED', { env }), 2, 'did you mean FAILURE? ');
});

describe('what is the same for all commands', () => {
  it('stands in no help of a command, which names the topics instead', () => {
    const shared = ofCommands.flatMap((surface) =>
      flagsShown(surface).filter(
        (line) =>
          /^(?:Connection|Questions|Monitoring|Messages|State|Output|Common) /.test(line) &&
          !/ --(?:base-url|state)$/.test(line),
      ),
    );
    expect(shared).toEqual([]);
    for (const surface of ofCommands) {
      const text = helpText(surface, 80);
      expect(text.replaceAll('\n', ' ')).toMatch(/ -q, .*-h; see reviewctl help settings\|output/);
      expect(text).not.toMatch(/^(?:Exit codes|Environment):$/m);
    }
  });

  it.each([
    ['settings', ['Connection:', '\n  base-url ', '\n  ledger ', '-q, --quiet', '-y, --yes']],
    ['exit-codes', ['\n  11 ', '\n  130 ', 'another run holds the lock']],
    ['environment', ['\n  REVIEWCTL_TOKEN ', '\n  REVIEWCTL_PROFILE ', '\n  PGPASSWORD, ', '\n  NO_COLOR']],
    ['output', ['\n  ndjson ', '--fields a,b.c', '--excel']],
  ])('stands in help %s', async (topic, parts) => {
    const { stdout, stderr } = expectEnd(await runInProcess(`help ${topic}`, { env }), 0);
    expect(stderr).toBe('');
    for (const part of parts) expect(stdout).toContain(part);
    expect((await runInProcess('help', { env })).stdout).toMatch(new RegExp(`help .*\\b${topic}\\b`));
  });

  it('hides no flag that belongs to one command', () => {
    const users = new Map<string, number>();
    for (const { flags } of ofCommands)
      for (const { name } of flags) users.set(name, (users.get(name) ?? 0) + 1);
    const hidden = ofCommands.flatMap(({ words, flags }) => {
      const shown = flagsShown(surfaces.find((one) => one.words === words) as Surface).join('\n');
      return flags.filter(({ name }) => users.get(name) === 1 && !shown.includes(` --${name}`));
    });
    expect(hidden).toEqual([]);
  });

  it('has every setting of every command', async () => {
    const { stdout } = await runInProcess('help settings', { env });
    const names = new Set(ofCommands.flatMap(({ settings }) => settings));
    expect([...names].filter((name) => !stdout.includes(`\n  ${name} `))).toEqual([]);
  });

  it('a topic that there is not suggests the nearest', async () => {
    expectEnd(await runInProcess('help exit-code', { env }), 2, 'exit-codes');
  });
});
