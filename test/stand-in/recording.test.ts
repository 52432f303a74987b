import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allSurfaces } from '../../src/cli/help/find-surface.ts';
import { cleanEnvironment, programPath, runShell, temporaryFolder } from '../cli/run-cli.ts';
import { runInProcess } from '../cli/run-program.ts';
import { type Asked, pageOf, recordsIn, standInShop } from './serve-stand-in.ts';

const persons = ['member-77', '김보람', '010-1234-5678', 'boram@example.com', '693340618584', '정말 좋아요'];
const review = {
  id: '31',
  rating: 5,
  text: '정말 좋아요 배송도 빨라요',
  userNickname: '김보람',
  images: [{ urls: { thumbnail: 'https://img/member-77.jpg', large: null } }],
  product: { id: '1', originId: 'P1', name: '니트' },
  order: {
    id: '9',
    originId: 'O9',
    memberOriginId: 'member-77',
    buyer: { name: '김보람', phone: '010-1234-5678', email: 'boram@example.com' },
    recipient: { name: '김보람', phone: '010-1234-5678' },
    deliveryAddress: '서울 member-77',
  },
  orderItem: { id: '8', shipment: { companyCode: '04', trackingNumber: '693340618584' } },
  createdAt: '2026-01-01T00:00:00Z',
};

/** A shop that ignores array parameters, refuses changes of orders with what it was sent, and once answers a page of HTML. */
async function talkativeShop(listReviews: (asked: Asked) => object = () => pageOf([review])) {
  const shop = await standInShop({
    'GET /admin/v2/reviews': listReviews,
    'GET /admin/v2/products': () => pageOf([{ id: '1', originId: 'P1', name: '니트' }]),
    'GET /admin/v2/review/{}': (_, outgoing) => void outgoing.end('<html>김보람</html>'),
    'POST /admin/v2/order-items/bulk': ({ body }) =>
      (body as readonly object[]).map((_, number) => ({ jobId: `${number}`, status: 'PENDING' })),
    'PATCH /admin/v2/order/{}': ({ body }, outgoing) => {
      const issue = {
        loc: ['body', 'buyer', 'phone'],
        msg: 'the phone 010-1234-5678 of 김보람 is taken, mail boram@example.com',
        type: 'value_error',
        input: body,
      };
      outgoing.writeHead(422, { 'set-cookie': 'session=4711' }).end(JSON.stringify({ detail: [issue] }));
      return undefined;
    },
  });
  const path = join(shop.folder, 'run.har');
  const har = () => JSON.parse(readFileSync(path, 'utf8'));
  return { ...shop, path, har, entries: () => har().log.entries };
}

test('a recording is a HAR for its owner alone, with ids and without credential and persons', async () => {
  const { cli, path, har, entries } = await talkativeShop();
  const filters = ['--order-member-origin-id', 'member-77', '--order-phone', '010-1234-5678'];
  await cli('reviews', 'list', ...filters, '--product-origin-ids', 'P1', '--record', 'run.har');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, 'utf8');
  for (const secret of ['Basic test', ...persons]) expect(text).not.toContain(secret);
  expect(har().log).toMatchObject({ version: '1.2', creator: { name: 'reviewctl' } });
  const [entry] = entries();
  expect(entry).toMatchObject({
    startedDateTime: expect.stringMatching(/^\d{4}-.*Z$/),
    time: expect.any(Number),
    request: { method: 'GET', httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize: 0 },
    response: { status: 200, cookies: [], redirectURL: '', content: { size: expect.any(Number) } },
    cache: {},
    timings: { send: 0, wait: expect.any(Number), receive: 0 },
    _operation: 'listReviews',
  });
  const [shown] = JSON.parse(entry.response.content.text).data;
  expect(shown).toMatchObject({
    id: '31',
    rating: 5,
    product: review.product,
    order: { id: '9', originId: 'O9' },
  });
  const asked = new URL(entry.request.url).searchParams;
  expect(asked.get('productOriginIds')).toBe('P1');
  expect(asked.get('orderMemberOriginId')).toBe(shown.order.memberOriginId);
  expect(asked.get('orderPhone')).toBe(shown.order.buyer.phone);
  expect(shown.order.buyer.name).toBe(shown.userNickname);
});

test('persons are taken out of what is sent, of what refuses it, and of what is no JSON', async () => {
  const { cli, path, entries } = await talkativeShop();
  const buyer = ['--buyer-name', '김보람', '--buyer-phone', '010-1234-5678'];
  await cli('orders', 'update', '9', ...buyer, '--member-origin-id', 'member-77', '--record', 'run.har');
  const text = readFileSync(path, 'utf8');
  for (const secret of ['session=4711', ...persons]) expect(text).not.toContain(secret);
  const [{ response, request }] = entries();
  const [issue] = JSON.parse(response.content.text).detail;
  expect(issue).toMatchObject({ loc: ['body', 'buyer', 'phone'], type: 'value_error' });
  expect(issue.msg).toContain(JSON.parse(request.postData.text).buyer.phone);
  await cli('reviews', 'get', '31', '--record', 'page.har');
  expect(readFileSync(join(path, '../page.har'), 'utf8')).not.toContain('김보람');
});

test('a file that exists is never overwritten, and then nothing is sent', async () => {
  const { cli, path, asked } = await talkativeShop();
  writeFileSync(path, 'mine');
  const { exitCode, stderr } = await cli('reviews', 'list', '--record', 'run.har');
  expect({ exitCode, kept: readFileSync(path, 'utf8'), asked }).toEqual({
    exitCode: 2,
    kept: 'mine',
    asked: [],
  });
  expect(stderr).toContain('run.har exists already');
  expect((await cli('reviews', 'list', '--record', 'no/such/folder.har')).exitCode).toBe(2);
  expect((await cli('reviews', 'list', '--record', '-')).exitCode).toBe(2);
});

test('a run that was recorded goes on without a recording, or with another', async () => {
  const { cli, folder } = await talkativeShop();
  writeFileSync(join(folder, 'items.csv'), 'orderOriginId,originId,productOriginId\nO1,I1,P1\n');
  const push = (...flags: readonly string[]) => cli('orders', 'push', 'items.csv', ...flags);
  for (const flags of [['--record', 'one.har'], ['--record=two.har']]) {
    expect((await push(...flags)).exitCode).toBe(0);
    expect((await cli('runs', 'resume', 'last')).exitCode).toBe(0);
  }
  expect((await cli('runs', 'resume', 'last', '--record', 'three.har')).exitCode).toBe(0);
  expect(existsSync(join(folder, 'three.har'))).toBe(true);
});

test.each(['SIGINT', 'SIGKILL'] as const)('a recording that %s ends is whole', async (signal) => {
  const second = new EventEmitter();
  const isSecondAsked = once(second, 'asked');
  const { env, folder, entries } = await talkativeShop(({ query }) => {
    if (query.get('after') === null) {
      return { totalCount: 2, data: [review], pageInfo: { hasNextPage: true, endCursor: 'next' } };
    }
    second.emit('asked');
    // Never answered.
    return undefined as never;
  });
  const child = spawn(process.execPath, [programPath, 'reviews', 'list', '--record', 'run.har'], {
    env,
    cwd: folder,
    stdio: 'ignore',
  });
  await isSecondAsked;
  child.kill(signal);
  await once(child, 'exit');
  expect(entries()[0]).toMatchObject({ _operation: 'listReviews', response: { status: 200 } });
});

test('what the service repeats of the credential is in no recording and in nothing shown, as it is, decoded or split', async () => {
  const [keyId, secret] = ['shop-key-71', 's3cr3t-p4ssword'];
  const token = Buffer.from(`${keyId}:${secret}`).toString('base64');
  const shop = await standInShop({
    'GET /admin/v2/reviews': (_, outgoing) => {
      const { authorization = '' } = outgoing.req.headers;
      outgoing.setHeader('x-request-id', authorization).writeHead(403);
      const message = `'${authorization}' is no key=value pair: ${keyId}:${secret}, ${secret.slice(0, 9)}`;
      outgoing.end(JSON.stringify({ message, ids: { [authorization]: token } }));
      return undefined;
    },
  });
  const env = { ...shop.env, REVIEWCTL_TOKEN: token };
  const call = ['reviews', 'list', '--debug=2', '--record', 'run.har'];
  const { stdout, stderr } = await runInProcess(call, { env, cwd: shop.folder });
  const text = readFileSync(join(shop.folder, 'run.har'), 'utf8');
  expect(JSON.parse(text).log.entries[0].response).toMatchObject({
    status: 403,
    headers: expect.arrayContaining([{ name: 'x-request-id', value: 'Basic [redacted]' }]),
  });
  for (const part of [token, token.slice(4, 20), secret, secret.slice(0, 9)]) {
    expect(text).not.toContain(part);
    expect(stdout + stderr).not.toContain(part);
  }
});

test('a recording that cannot be begun is refused in words, and leaves no file that a second run would meet', async () => {
  const { env, folder, path } = await talkativeShop();
  const lines = "trap '' XFSZ; ulimit -f 0; reviewctl reviews list -o none --record run.har";
  const { exitCode, stderr } = await runShell(lines, { env, cwd: folder });
  expect(stderr).toContain('--record: run.har cannot be written: EFBIG');
  expect(stderr).toContain('hint: see that its disk has room, or name a file on another one');
  expect(exitCode).toBe(2);
  expect(existsSync(path)).toBe(false);
});

test('a recording that finds no more room ends, whole, with a warning, and its command goes on', async () => {
  const { env, folder, entries } = await talkativeShop(({ query }) => {
    const page = Number(query.get('after') ?? 0);
    const data = Array.from({ length: 100 }, (_, number) => ({ ...review, id: `${page}-${number}` }));
    return { totalCount: 1000, data, pageInfo: { hasNextPage: page < 9, endCursor: `${page + 1}` } };
  });
  const lines = 'ulimit -f 300; reviewctl reviews list -o count --record run.har';
  const { exitCode, stdout, stderr } = await runShell(lines, { env, cwd: folder });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '1000\n' });
  expect(stderr.match(/run\.har ends here/g)).toHaveLength(1);
  expect(entries().length).toBeGreaterThan(0);
  expect(entries().length).toBeLessThan(10);
});

test('a recording can be held against the assumptions later, without asking anybody or remembering anything', async () => {
  const { cli, folder, asked } = await talkativeShop();
  await cli('reviews', 'list', '--ratings', '1,2', '--record', 'run.har');
  const before = asked.length;
  const offline = temporaryFolder();
  const from = (...flags: readonly string[]) =>
    runInProcess(['doctor', '--assumptions', '--from', 'run.har', '-o', 'ndjson', ...flags], {
      env: cleanEnvironment(offline),
      cwd: folder,
    });
  const result = await from();
  const verdictIn = (name: string) => recordsIn(result).find(({ assumption }) => assumption === name).verdict;
  expect(verdictIn('arrayQuery')).toBe('refuted');
  expect(verdictIn('recordIds')).toBe('confirmed');
  expect(verdictIn('jobOrder')).toBe('never seen');
  expect(result.exitCode).toBe(6);
  expect({ asked: asked.length, isKept: existsSync(join(offline, 'state')) }).toEqual({
    asked: before,
    isKept: false,
  });
  // Written in one style, it says nothing of another.
  const other = recordsIn(await from('--assume', 'arrayQuery=brackets'));
  expect(other.find(({ assumption }) => assumption === 'arrayQuery').verdict).toBe('never seen');
});

test('a HAR of another program is read too, and what is none is refused', async () => {
  const { cli, folder } = await talkativeShop();
  const page = Buffer.from(JSON.stringify(pageOf([{ id: '1', paidPrice: 5 }]))).toString('base64');
  const entry = {
    startedDateTime: '2026-01-01T00:00:00.000+09:00',
    request: { method: 'GET', url: 'https://shop.example/api/admin/v2/reviews?ratings=1', headers: [] },
    response: {
      status: 200,
      headers: [{ name: 'Keep-Alive', value: 'timeout=65' }],
      content: { size: 10, mimeType: 'application/json', text: page, encoding: 'base64' },
    },
  };
  const others = [{ ...entry, request: { method: 'GET', url: 'https://shop.example/logo.png' } }];
  writeFileSync(join(folder, 'browser.har'), JSON.stringify({ log: { entries: [...others, entry] } }));
  writeFileSync(join(folder, 'other.json'), '{"log":{}}');
  const from = (file: string) => cli('doctor', '--assumptions', '--from', file, '-o', 'ndjson');
  const rows = recordsIn(await from('browser.har'));
  expect(rows.find(({ assumption }) => assumption === 'idleTimeout')).toMatchObject({
    verdict: 'confirmed',
    since: '2025-12-31T15:00:00.000Z',
  });
  expect(rows.find(({ assumption }) => assumption === 'replyScalars').verdict).toBe('confirmed');
  expect((await from('other.json')).exitCode).toBe(3);
  expect((await from('missing.har')).exitCode).toBe(2);
  expect((await cli('doctor', '--from', 'browser.har')).exitCode).toBe(2);
});

test('every command that calls the service can be recorded', async () => {
  const commands = (await allSurfaces()).filter((surface) => surface.kind === 'command');
  const namesOf = ({ flags }: (typeof commands)[number]) => flags.map(({ name }) => name);
  const calling = commands.filter((command) =>
    ['base-url', 'retries'].every((name) => namesOf(command).includes(name)),
  );
  expect(calling.length).toBeGreaterThan(30);
  for (const command of calling) expect(namesOf(command)).toContain('record');
});
