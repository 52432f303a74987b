import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { serveHttp } from '../client/loopback.ts';
import { sharedSandbox } from './open-place.ts';
import type { CommandLine } from './run-cli.ts';
import {
  cleanEnvironment,
  environmentAt,
  expectEnd,
  expectNothing,
  runShell,
  temporaryFolder,
} from './run-cli.ts';
import { type ProgramOptions, runInProcess } from './run-program.ts';

const folder = temporaryFolder();
const sandbox = await sharedSandbox({ port: 0, token: 'a-token', products: 5, orders: 60, reviews: 120 });

const environmentOf = (baseUrl: string) => environmentAt(folder, { baseUrl, token: 'a-token' });

const run = (argv: CommandLine, options: ProgramOptions = {}) =>
  runInProcess(argv, { env: environmentOf(sandbox.baseUrl), cwd: folder, ...options });

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '');
const recordsOf = (text: string) => linesOf(text).map((line) => JSON.parse(line));

async function idsOfList(...flags: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run(['reviews list -o ids', ...flags]);
  return linesOf(stdout);
}

const writesIn = <T extends { readonly method?: string | undefined }>(seen: readonly T[]) =>
  seen.filter(({ method }) => method === 'PATCH');

/** A service of reviews that answers each request with `statusOf` its id. */
async function serveReviews(statusOf: (id: string) => number) {
  return serveHttp((incoming, outgoing) => {
    const id = decodeURIComponent(incoming.url?.split('/').at(-1) ?? '');
    outgoing.writeHead(statusOf(id), { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify({ id, isVisible: null }));
  });
}

describe('reviews that are published or hidden', () => {
  it.each([
    ['reviews publish 1', ['1'], '1 review is now visible\n'],
    ['reviews show 1', ['1'], '1 review is now visible\n'],
    ['-c timeout=9s reviews show 1 2', ['1', '2'], '2 reviews are now visible\n'],
    ['reviews publish 1 404', ['1', '404'], '1 review is now visible, 1 rejected\n'],
    ['reviews publish 404', ['404'], '1 review: 1 rejected in 0.0 s\n'],
    ['reviews hide 1', ['1'], '1 review is now hidden\n'],
  ])('are named so in the total: %s', async (words, ids, total) => {
    const { url, seen } = await serveReviews((id) => (id === '404' ? 404 : 200));
    const { stderr } = await runInProcess(words, { env: environmentOf(url) });
    const isVisible = !words.includes('hide');
    expect(writesIn(seen).map(({ body }) => JSON.parse(body))).toEqual(
      ids.filter((id) => id !== '404').map(() => ({ isVisible })),
    );
    expect(stderr).toBe(total);
  });

  it.each(['none', 'count', 'ids'])(
    'are told on stderr with their reasons, if refused: -o %s',
    async (format) => {
      const { url } = await serveReviews((id) => Number(id));
      const { stderr } = await runInProcess(`reviews hide 404 200 503 -c retries=0 -o ${format}`, {
        env: environmentOf(url),
      });
      expect(stderr).toContain("error: getReview: the service has no review with the id '404' (404)\nhint: ");
      expect(stderr).toContain('error: 503: getReview: ');
    },
  );

  it.each(['reviews show --help', 'help reviews show', 'reviews help show'])(
    'are known to help by the first name of the command: %s',
    async (words) => {
      const help = await run(words);
      expect(help).toEqual(await run('reviews publish --help'));
      expect(help.stdout).toContain('Usage: reviewctl reviews publish <reviewId...>');
      expect((await run('reviews --help')).stdout).not.toMatch(/^ +show/m);
    },
  );
});

describe('many reviews', () => {
  it('are got in the order asked for; one that is not there is told on stderr, exit 6', async () => {
    const [first = '', second = ''] = await idsOfList();
    const { stdout, stderr } = expectEnd(await run(`reviews get ${second} nope ${first}`), 6);
    expect(recordsOf(stdout).map(({ id }) => id)).toEqual([second, first]);
    expect(linesOf(stderr)).toEqual([
      "error: getReview: the service has no review with the id 'nope' (404)",
      expect.stringMatching(/^hint: .*reviewctl reviews list -o ids$/),
      '3 reviews: 2 found, 1 rejected in 0.0 s',
    ]);
  });

  it.each(['ids', 'ndjson', 'json', 'csv', 'csv --excel'])(
    'are hidden by what a list prints as %s, and shown again',
    async (format) => {
      const { stdout } = await run(`reviews list --limit 30 -o ${format}`);
      const hidden = await run('reviews hide -', { stdin: stdout });
      expect({ exitCode: hidden.exitCode, told: hidden.stderr }).toEqual({
        exitCode: 0,
        told: '30 reviews are now hidden\n',
      });
      const hiddenIds = await idsOfList('--is-visible', 'false');
      expect(hiddenIds.toSorted()).toEqual((await idsOfList('--limit 30')).toSorted());
      const twice = await run('reviews hide -', { stdin: stdout });
      expect(recordsOf(twice.stdout).map(({ outcome }) => outcome)).toEqual(Array(30).fill('unchanged'));
      expect(twice.stderr).toMatch(/^30 reviews: 30 unchanged in /);
      expectEnd(await run('reviews show -', { stdin: stdout }), 0);
      expect(await idsOfList('--is-visible', 'false')).toEqual([]);
    },
  );

  it('have an outcome each, in the order of the ids, with reason and remedy', async () => {
    const [first = '', second = '', third = ''] = await idsOfList();
    await run(`reviews hide ${first} ${second}`);
    const { exitCode, stdout } = await run(`reviews show ${first} nope ${second} ${third} 'no way'`);
    const rejected = (id: string) => ({
      id,
      outcome: 'rejected',
      error: `getReview: the service has no review with the id '${id}' (404)`,
      hint: expect.stringContaining('reviewctl reviews list -o ids'),
    });
    expect({ exitCode, outcomes: recordsOf(stdout) }).toEqual({
      exitCode: 6,
      outcomes: [
        { id: first, outcome: 'updated' },
        rejected('nope'),
        { id: second, outcome: 'updated' },
        { id: third, outcome: 'unchanged' },
        rejected('no way'),
      ],
    });
  });

  it('that a table shows are those that need attention', async () => {
    const [first = ''] = await idsOfList();
    const { stdout } = await run(`reviews show ${first} nope -o table`);
    const words = linesOf(stdout).map((line) => line.split(' ')[0]);
    expect(words.filter(Boolean)).toEqual(['ID', 'nope']);
  });

  it('are read many at once, and Node.js has nothing to warn about', async () => {
    const command = `reviewctl reviews get ${(await idsOfList()).join(' ')} -o count -c concurrency=32`;
    const { stderr } = await runShell(command, { env: environmentOf(sandbox.baseUrl), cwd: folder });
    expect(stderr).toMatch(/^120 reviews: 120 found in \S+ s\n$/);
  });

  it('none at all are nothing to do', async () => {
    expect(await run('reviews hide -')).toEqual({ exitCode: 0, stdout: '', stderr: 'no reviews\n' });
  });

  it.each([',', ';', '\t'])('on one line, apart by %j, are refused', async (mark) => {
    expectEnd(await run('reviews hide -', { stdin: `12${mark}13\n` }), 2, "-:1: there is no column 'id'");
  });
});

describe('hiding', () => {
  it('more than a hundred is asked about, and refused where nobody can be asked', async () => {
    const ids = await idsOfList();
    for (const flags of [[], ['--no-input']]) {
      expect(
        await run(['reviews hide -', ...flags], {
          stdin: ids.join('\n'),
        }),
      ).toEqual({
        exitCode: 2,
        stdout: '',
        stderr:
          'error: confirmation required: Hide 120 reviews from consumers?\nhint: pass --yes, or run on a terminal\n',
      });
    }
    const hundred = await run(['reviews hide', ...ids.slice(0, 100)]);
    const all = await run('reviews hide - --yes', { stdin: ids.join('\n') });
    const shown = await run('reviews publish -', { stdin: ids.join('\n') });
    expect([hundred, all, shown].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  });

  it('dry prints the requests and sends none', async () => {
    const { stdout } = expectEnd(
      await runInProcess('reviews hide 1 2 --dry-run', {
        env: cleanEnvironment(folder),
      }),
      0,
    );
    expect(recordsOf(stdout)).toEqual(
      ['1', '2'].map((id) => ({
        method: 'PATCH',
        path: `/admin/v2/review/${id}`,
        body: { isVisible: false },
      })),
    );
  });

  it('sends nothing when one of the ids can be none', async () => {
    const { url, seen } = await serveReviews(() => 200);
    expectEnd(
      await runInProcess('reviews hide 1 ..', {
        env: environmentOf(url),
      }),
      2,
      "reviewId must be an id, not '..'",
    );
    expect(seen).toEqual([]);
  });

  it('that the service takes without effect is told, not believed', async () => {
    const { url } = await serveHttp((_, outgoing) => outgoing.end('{"id":"1","isVisible":true}'));
    const { stdout } = expectEnd(await runInProcess('reviews hide 1', { env: environmentOf(url) }), 6);
    expect(recordsOf(stdout)[0]).toEqual({
      id: '1',
      outcome: 'failed',
      error: expect.stringContaining('isVisible was sent as false, and the service shows true'),
      hint: expect.stringContaining('reviewctl reviews get 1'),
    });
  });

  it('goes on to the end when nobody reads the outcomes any more', async () => {
    const { url, seen } = await serveReviews(() => 200);
    const ids = Array.from({ length: 90 }, (_, index) => String(index)).join(' ');
    expectEnd(await runShell(`reviewctl reviews hide ${ids} | true`, { env: environmentOf(url) }), 0);
    expect(writesIn(seen).length).toBe(90);
  });
});

describe('what stops many ids', () => {
  const ids = Array.from({ length: 60 }, (_, index) => String(index));

  it('is a credential that is not taken, exit 4, without an outcome for anybody', async () => {
    const { url } = await serveReviews(() => 401);
    const { stderr } = expectNothing(
      await runInProcess(['reviews hide', ...ids], {
        env: environmentOf(url),
      }),
      4,
    );
    expect(linesOf(stderr).length).toBe(2);
  });

  it('is a service that stopped answering, exit 5, with an outcome for each that was tried', async () => {
    const { url } = await serveReviews((id) => (Number(id) < 20 ? 200 : 503));
    const flags = '-c retries=0 -c concurrency=2';
    const { exitCode, stdout, stderr } = await runInProcess(['reviews hide', ...ids, flags], {
      env: environmentOf(url),
    });
    const outcomes = recordsOf(stdout);
    expect(exitCode).toBe(5);
    expect(outcomes.map(({ id }) => id)).toEqual(ids.slice(0, outcomes.length));
    expect(outcomes.slice(0, 20).every(({ outcome }) => outcome === 'updated')).toBe(true);
    expect(outcomes.slice(20).every(({ outcome }) => outcome === 'failed')).toBe(true);
    expect(stderr).toContain(`${60 - outcomes.length} reviews not attempted`);
  });

  it('is Ctrl-C: what is under way is finished, the rest is counted, exit 130', async () => {
    const stop = new AbortController();
    const { url, seen } = await serveReviews((id) => {
      if (id === '5') stop.abort(new Failure('interrupted', 'interrupted before the end'));
      return 200;
    });
    const { exitCode, stdout, stderr } = await runInProcess(['reviews hide', ...ids, '-c concurrency=3'], {
      env: environmentOf(url),
      stopping: stop.signal,
    });
    const outcomes = recordsOf(stdout);
    const writes = writesIn(seen).length;
    expect({ exitCode, told: outcomes.length }).toEqual({ exitCode: 130, told: writes });
    expect(outcomes.every(({ outcome }) => outcome === 'updated')).toBe(true);
    expect(stderr).toContain(`warning: interrupted: ${60 - writes} reviews not attempted`);
    expect(stderr).toContain('hint: run the same command again');
  });

  it('is Ctrl-C while the ids are read, before anything is sent', async () => {
    const { url, seen } = await serveReviews(() => 200);
    const stop = new AbortController();
    stop.abort(new Failure('interrupted', 'interrupted before the end'));
    expectNothing(
      await runInProcess('reviews hide -', {
        env: environmentOf(url),
        stdin: '1\n2\n',
        stopping: stop.signal,
      }),
      130,
    );
    expect(seen).toEqual([]);
  });
});
