import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Failure } from '../../src/base/failure.ts';
import { displayWidth } from '../../src/output/terminal/display-width.ts';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { serveHttp } from '../client/loopback.ts';
import { RacingClock } from './racing-clock.ts';
import { cleanEnvironment, environmentAt, expectEnd, temporaryFolder } from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';
import { type ProgramOptions, runInProcess } from './run-program.ts';

let sandbox: ServedSandbox;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  sandbox = await serveSandbox({ port: 0, products: 3, orders: 400, reviews: 300 });
  env = environmentAt(temporaryFolder(), sandbox);
  return () => sandbox.close();
});

const list = (options: ProgramOptions, ...flags: string[]) =>
  runInProcess(['reviews list', ...flags], { env, ...options });

describe('the progress of a list', () => {
  test('shows records, pace and the time left, with the words of a push', async () => {
    const clock = new RacingClock();
    const { stderr } = await list({ clock }, '-c progress=plain -o none');
    expect(stderr).toMatch(
      /^reading review records: 100 of 300 \(33 %\), \d+\/s, .* left\nreading review records: 200 of 300 \(66 %\)/,
    );
  });

  test('ends where --limit does, and knows no end behind --after', async () => {
    const limited = await list({ clock: new RacingClock() }, '-c progress=plain --limit 150 -o none');
    expect(limited.stderr).toContain('100 of 150 (66 %)');
    const { stdout } = await runInProcess('api listReviews --query first=10', { env });
    const { endCursor } = JSON.parse(stdout).pageInfo;
    const rest = await list({ clock: new RacingClock() }, `-c progress=plain --after ${endCursor} -o none`);
    expect(rest.stderr).toMatch(/^reading review records: 100, \d/);
  });

  test('is silent unless stderr is a terminal, and leaves a table on the same terminal whole', async () => {
    const piped = await list({ clock: new RacingClock() }, '-o none');
    expect(piped.stderr).toBe('300 of 300 reviews\n');
    const { shown } = await runOnTerminal(['reviews', 'list', '--fields', 'id,rating', '-o', 'table'], {
      env: { ...env, NO_COLOR: '1' },
    });
    const rows = shown.split('\n').map((line) => line.replace(/^.*\u001b\[(?:2K|0K|1G|G)/g, ''));
    expect(rows.filter((row) => /^\d+ +\d$/.test(row))).toHaveLength(300);
  });
});

test.each(['api', 'api listProducts'])('a table of %s fits a terminal of 40 columns', async (line) => {
  const { shown } = await runOnTerminal([...line.split(' '), '-o', 'table'], { env, columns: 40 });
  expect(shown).toMatch(/not shown/);
  expect(shown.split('\n').filter((row) => displayWidth(stripVTControlCharacters(row)) > 40)).toEqual([]);
});

test('an interrupted list says so, and does not speak of going on', async () => {
  const stop = new AbortController();
  const { url } = await serveHttp((incoming, outgoing) => {
    const isSecond = incoming.url?.includes('after=') ?? false;
    const page = { totalCount: 2, data: [{ id: 'r1' }], pageInfo: { hasNextPage: true, endCursor: 'next' } };
    if (isSecond) stop.abort(new Failure('interrupted', 'interrupted before the end'));
    else outgoing.end(JSON.stringify(page));
  });
  const { exitCode, stderr } = await list(
    { stopping: stop.signal, env: { ...env, REVIEWCTL_BASE_URL: url } },
    ...['-c page-size=1 -o ndjson'],
  );
  expect({ exitCode, stderr }).toEqual({
    exitCode: 130,
    stderr:
      '{"error":{"code":"interrupted","message":"interrupted before the end",' +
      '"hint":"the output is incomplete; run the same command again","exitCode":130,"retry":"same"}}\n',
  });
});

describe('an interruption between two attempts is reported as such, not as a fault of the address, by', () => {
  test.each([
    ['reviews list', 'the output is incomplete; run the same command again'],
    ['reviews get 1', 'the output is incomplete; run the same command again'],
    ['reviews stats', 'the output is incomplete; run the same command again'],
    ['product-groups list', 'the output is incomplete; run the same command again'],
    ['report reviews', 'the output is incomplete; run the same command again'],
    ['api listReviews', 'run the same command again; completed writes are not repeated'],
    ['api GET /admin/v2/reviews', 'run the same command again; completed writes are not repeated'],
  ])('%s', async (command, hint) => {
    const stop = new AbortController();
    const clock = {
      ...systemClock,
      sleep: async (_ms: number, signal?: AbortSignal) => {
        stop.abort(new Failure('interrupted', 'interrupted before the end'));
        signal?.throwIfAborted();
      },
    };
    const options = {
      env: { ...env, REVIEWCTL_BASE_URL: 'http://127.0.0.1:9' },
      clock,
      stopping: stop.signal,
    };
    const { stderr } = expectEnd(
      await runInProcess([...command.split(' '), '-c log-format=json'], options),
      130,
      `{"error":{"code":"interrupted","message":"interrupted before the end","hint":"${hint}","exitCode":130,"retry":"same"}}\n`,
    );
    expect(stderr).not.toContain('check the address');
  });
});

describe('--quiet', () => {
  test('leaves out progress and totals', async () => {
    expect(await list({ clock: new RacingClock() }, '-q -c progress=plain -o ids')).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  test('keeps warnings and errors', async () => {
    expectEnd(
      await runInProcess('reviews get 404 --quiet', {
        env: { ...env, REVIEWCTL_LIMITS: '3' },
      }),
      6,
      /^warning: no command reads REVIEWCTL_LIMITS\n(?:.*\n)*error: /,
    );
  });
});

describe('flags before the command', () => {
  test.each([
    ['--limit 2 reviews list -o count'],
    ['-o count reviews list --limit=2'],
    ['--limit=2 -o count reviews list'],
  ])('are read as behind it: %j', async (argv) => {
    expect(await runInProcess(argv, { env })).toMatchObject({ exitCode: 0, stdout: '2\n' });
  });

  test('may have a value that is the name of a command', async () => {
    expectEnd(await runInProcess('--profile login reviews list', { env }), 2, "'login'");
  });

  test('that a command does not have are refused by their name', async () => {
    expectEnd(await runInProcess('--frobnicate reviews list', { env }), 2, "unknown option '--frobnicate'");
  });
});

describe('--since', () => {
  test.each(['reviews', 'rewards'])('of %s list is the start of its time', async (noun) => {
    const start = '2026-01-01';
    const counted = (...flags: string[]) => runInProcess([`${noun} list -o ids`, ...flags], { env });
    const [since, written] = [await counted('--since', start), await counted('--created-at-start', start)];
    expect(since.stdout).toBe(written.stdout);
    expect((await counted('--since', '2999-01-01')).stdout).toBe('');
  });

  test('is named as it was typed where it is no time, or begins after the end', async () => {
    expect((await list({}, '--since yesterday')).stderr).toMatch(
      /^error: --since: 'yesterday' is not a time\n/,
    );
    expect((await list({}, '--since 2026-02-01 --created-at-end 2026-01-01')).stderr).toMatch(
      /^error: --since 2026-02-01T\S+ is after --created-at-end 2026-01-01T/,
    );
  });

  test.each(['--since-last', '--created-at-start'])('beside %s is refused', async (flag) => {
    expect(await list({}, `--since 7d ${flag} 3d`)).toMatchObject({
      exitCode: 2,
      stderr: `error: --since and ${flag} both set the start\nhint: leave out --since or ${flag}\n`,
    });
  });
});

test('a production profile asks at the terminal for ids that come from a pipe', async () => {
  const folder = temporaryFolder();
  const own = { ...env, ...cleanEnvironment(folder), NO_COLOR: '1' };
  await runInProcess('config set production true', { env: own });
  const ids = (await list({}, '--limit 2 -o ids')).stdout.trim().split('\n');
  const hide = (answer: string) =>
    runOnTerminal(['reviews', 'hide', '-', '-o', 'ids'], {
      env: own,
      stdin: ids.join('\n'),
      answers: [['[y/N]', `${answer}\r`]],
    });
  const refused = expectEnd(await hide('n'), 2);
  expect(refused.shown).toContain('cancelled; nothing was written');
  const accepted = expectEnd(await hide('y'), 0);
  expect(accepted.shown).toContain('2 reviews are now hidden');
});

test('login on a terminal asks for the address when none is given', async () => {
  const own = { ...cleanEnvironment(temporaryFolder()), NO_COLOR: '1' };
  const { shown } = expectEnd(
    await runOnTerminal(['login'], {
      env: own,
      answers: [
        ['Address of the service', `${sandbox.baseUrl}\r`],
        ['(not shown)', `${sandbox.token}\r`],
        ['one bulk job', '\r'],
        ['whole orders', '\r'],
        ['one reward', '\r'],
      ],
    }),
    0,
  );
  expect(shown).toContain(`${sandbox.baseUrl} accepts the credential`);
});
