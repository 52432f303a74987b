import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { commands } from '../../src/cli/commands/commands.ts';
import { outputFormats } from '../../src/output/formats/formats.ts';
import { displayWidth } from '../../src/output/terminal/display-width.ts';
import type { View } from '../../src/output/views/view.ts';
import { productGroupView, productView, reviewView, rewardView } from '../../src/output/views/views.ts';
import { serveHttp } from '../client/loopback.ts';
import { hostileTexts, livingCharacters } from '../output/hostile-text.ts';
import { cleanEnvironment, expectEnd, runCli, temporaryFolder } from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';
import { runInProcess } from './run-program.ts';

/** Every list command, including future ones. */
const lists = Object.keys(commands).filter((words) => words.endsWith(' list'));

/** The views of the service's lists. */
const views: Readonly<Record<string, View>> = {
  products: productView,
  'product-groups': productGroupView,
  reviews: reviewView,
  rewards: rewardView,
};
const listsOfService = Object.keys(views).map((noun) => `${noun} list`);

const folder = temporaryFolder();
const getJob = 'GET /admin/v2/job/{jobId}';
let server: Server;
let env: Record<string, string>;
/** The values of every text field in the service's replies; one record for each. */
let texts: readonly string[];
let status: number;

beforeAll(async () => {
  server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    incoming.on('end', () => {
      outgoing.writeHead(status, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify(answerTo(incoming.url ?? '', body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  env = {
    ...cleanEnvironment(folder),
    NO_COLOR: '1',
    REVIEWCTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    REVIEWCTL_TOKEN: 'a-token',
    REVIEWCTL_RETRIES: '0',
  };
  await pushHostileFiles();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(beHostile);

function beHostile(): void {
  texts = Object.values(hostileTexts);
  status = 200;
}

function answerTo(url: string, body: string): unknown {
  if (status !== 200) {
    return { detail: texts.map((text) => ({ loc: ['query', text], msg: text, type: text })) };
  }
  if (body !== '')
    return (JSON.parse(body) as readonly unknown[]).map((_, index) => pendingJob(texts[index]));
  if (url.includes('/job/')) return failedJob(decodeURIComponent(url.split('/').at(-1) ?? ''));
  return page(url.slice('/admin/v2/'.length).split('?')[0] ?? '');
}

const pendingJob = (jobId: string | undefined) => ({ jobId, status: 'PENDING' });
const failedJob = (text: string) => ({ jobId: text, status: 'FAILED', failureReason: text, endedAt: text });

function page(noun: string): JsonObject {
  const data = recordsOf(noun);
  return { totalCount: data.length, data, pageInfo: { hasNextPage: false, endCursor: texts[0] ?? '' } };
}

/** One record for each text, with that text in every field and in an undocumented one. */
function recordsOf(noun: string): readonly JsonObject[] {
  return texts.map((text) => {
    const record: Record<string, unknown> = { [text]: [{ [text]: text }] };
    for (const path of views[noun]?.csvColumns ?? []) {
      const names = path.split('.');
      const last = names.pop() ?? '';
      let inner = record;
      for (const name of names) {
        inner[name] ??= {};
        inner = inner[name] as Record<string, unknown>;
      }
      inner[last] = text;
    }
    return record as JsonObject;
  });
}

/** Records runs and jobs with names as hostile as a service and a file system allow. */
async function pushHostileFiles(): Promise<void> {
  beHostile();
  const hostileFolder = join(folder, `in ${texts.join('').replaceAll(/[\0/]/g, '')}`.slice(0, 100));
  mkdirSync(hostileFolder);
  const items = texts.map((_, index) => `O-${index},I-${index},P-1`).join('\n');
  const file = `${[hostileTexts['bidi'], ...Object.values(hostileTexts)].join(' ').replaceAll(/[\0/]/g, '').slice(0, 80)}.csv`;
  writeFileSync(join(hostileFolder, file), `orderOriginId,originId,productOriginId\n${items}\n`);
  const at = { env, cwd: hostileFolder };
  const pushed = await runInProcess(['orders push', file, '-o count'], at);
  expect({ ...pushed, stdout: pushed.stdout.trim() }).toMatchObject({
    exitCode: 0,
    stdout: `${texts.length}`,
  });
  await runInProcess(`jobs wait 1s -c 'get-job=${getJob}'`, at);
}

const wordsOf = (list: string) => list.split(' ');

/** Runs the list in this process, as on a terminal. */
const shownBy = (list: string, ...flags: string[]) =>
  runInProcess([...wordsOf(list), ...flags], { env: { ...env, COLUMNS: '400' }, isOutputTerminal: true });

describe.each(lists)('%s', (list) => {
  test('is a table for people on a terminal, and the same records as JSON in a pipe', async () => {
    const [piped, { exitCode, shown }] = await Promise.all([
      runInProcess(wordsOf(list), { env }),
      // On a slow machine a spinner would appear.
      runOnTerminal([...wordsOf(list), '-q'], { env, columns: 400 }),
    ]);
    expect(exitCode).toBe(piped.exitCode);
    expect(livingCharacters(shown)).toEqual([]);
    const records = piped.stdout.split('\n').filter((line) => line !== '');
    for (const record of records) expect(JSON.parse(record)).toBeTypeOf('object');
    expect(shown.startsWith('{')).toBe(false);
    if (records.length > 0) expect(shown).toMatch(/^[A-Z][A-Z ]*\n/);
  });

  test.each(outputFormats)('gives a terminal nothing that acts on it, as %s', async (format) => {
    const { stdout, stderr } = await shownBy(list, '-o', format);
    expect(livingCharacters(stdout + stderr)).toEqual([]);
  });

  test('gives a terminal nothing that acts on it when the service refuses', async () => {
    status = 422;
    const { shown } = await runOnTerminal([...wordsOf(list), '--debug'], { env });
    expect(livingCharacters(shown)).toEqual([]);
  });
});

test('runs and jobs on record are as hostile as what the service says', async () => {
  for (const list of [...listsOfService, 'runs list', 'jobs list']) {
    const { stdout } = await runInProcess(wordsOf(list), { env });
    const values = stdout.split('\n').filter((line) => line !== '');
    expect(livingCharacters(values.map((line) => inWords(JSON.parse(line))).join(''))).not.toEqual([]);
    const table = await shownBy(list, '-o', 'table');
    expect(table.stdout).toContain('\\u{202e}');
  }
});

test('a limited list says of how many it is a part', async () => {
  for (const [list, noun] of [
    ['reviews list', 'reviews'],
    ['jobs list', 'jobs'],
  ] as const) {
    const { stdout, stderr } = await runInProcess([...wordsOf(list), '--limit 5 -o count'], { env });
    expect({ stdout, total: /^5 of 12 \w+/.exec(stderr)?.[0] }).toEqual({
      stdout: '5\n',
      total: `5 of 12 ${noun}`,
    });
  }
});

test('of a list of which nothing is asked for nothing is said either', async () => {
  expect(await runInProcess('reviews list --limit 0', { env })).toMatchObject({
    exitCode: 0,
    stderr: 'no reviews requested: --limit 0\n',
  });
});

/** Joins all texts in a value. */
function inWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).map(inWords).join(' ');
}

describe.each(listsOfService)('%s of a service', (list) => {
  const [noun = ''] = list.split(' ');

  test('gives a pipe every record exactly as it was sent', async () => {
    const { stdout, stderr } = expectEnd(await runCli(wordsOf(list), { env }), 0);
    const lines = recordsOf(noun).map((record) => `${JSON.stringify(record)}\n`);
    expect(stdout).toBe(lines.join(''));
    expect(stderr).toBe(`12 of 12 ${noun.replace('-', ' ')}\n`);
  });

  test('fits a terminal, and says last how many there are and which columns found no room', async () => {
    texts = ['가나다', 'abc'];
    const { shown } = await runOnTerminal(wordsOf(list), { env, columns: 72 });
    const lines = shown.trimEnd().split('\n');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(72);
    expect(lines.at(-1)).toBe(`2 of 2 ${noun.replace('-', ' ')}`);
    const narrow = await runOnTerminal(wordsOf(list), { env, columns: 30 });
    const words = narrow.shown.replaceAll(/\n +/g, ' ');
    expect(words).toMatch(/^\d columns? not shown \([a-z, ]+\); --fields selects others$/m);
  });
});

test('the first page stands on the terminal while the second is still on its way', async () => {
  const records = Array.from({ length: 6 }, (_, index) => ({ id: `r${index}`, rating: 5 }));
  const { promise: firstPage, resolve: firstPageShown } = deferred();
  const { url } = await serveHttp((incoming, outgoing) => {
    const isSecond = incoming.url?.includes('after=') ?? false;
    const data = isSecond ? records.slice(3) : records.slice(0, 3);
    const pageInfo = { hasNextPage: !isSecond, endCursor: 'next' };
    const reply = JSON.stringify({ totalCount: 6, data, pageInfo });
    if (isSecond) void firstPage.then(() => outgoing.end(reply));
    else outgoing.end(reply);
  });
  const { shown } = expectEnd(
    await runOnTerminal(['reviews', 'list', '-c', 'page-size=3'], {
      env: { ...env, REVIEWCTL_BASE_URL: url },
      onShown: (soFar) => {
        if (/\br2\b/.test(soFar)) firstPageShown();
      },
    }),
    0,
  );
  expect(shown.trimEnd().split('\n')).toHaveLength(1 + 6 + 1);
});

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
