import { expect, test } from 'vitest';
import { runInProcess } from '../cli/run-program.ts';
import { pageOf, standInShop } from './serve-stand-in.ts';

const review = {
  id: '31',
  rating: 5,
  text: '정말 좋아요',
  userNickname: '김보람',
  product: { id: '1', originId: 'P1', name: '니트\u202e' },
  order: { id: '9', originId: 'O9', memberOriginId: 'member-77' },
};

/** A shop that says more than it should: it repeats credentials and what it was sent, and answers a review with a page of HTML. */
async function talkativeShop() {
  return standInShop({
    'GET /admin/v2/reviews': () => pageOf([review]),
    'GET /admin/v2/products': () => pageOf(Array.from({ length: 900 }, (_, number) => ({ id: `${number}` }))),
    'GET /admin/v2/review/{}': (_, outgoing) => void outgoing.end('<html>김보람</html>'),
    'PATCH /admin/v2/order/{}': (_, outgoing) => {
      const detail = 'the phone 010-1234-5678 of 김보람 is taken; Basic sesame-open-4711';
      outgoing.writeHead(409).end(JSON.stringify({ detail }));
      return undefined;
    },
  });
}

test('--debug=2 shows what was sent and answered, without credential and persons, and --debug neither', async () => {
  const { cli } = await talkativeShop();
  const bodies = await cli('reviews', 'list', '--order-member-origin-id', 'member-77', '--debug=2');
  expect(bodies.stderr).toMatch(
    /^GET \/admin\/v2\/reviews\?.*orderMemberOriginId=person-\w+.* -> 200 in \d+ ms$/m,
  );
  expect(bodies.stderr).toMatch(
    /^ {2}reply body, \d+ bytes: \{"totalCount":1,"data":\[\{"id":"31","rating":5/m,
  );
  expect(bodies.stderr).toContain('니트\\u{202e}');
  for (const person of ['정말 좋아요', '김보람', 'member-77']) expect(bodies.stderr).not.toContain(person);
  const requests = await cli('reviews', 'list', '--debug');
  expect(requests.stderr).toMatch(/-> 200 in \d+ ms$/m);
  expect(requests.stderr).not.toContain('body');
});

test('a refused change is shown with what was sent, each person by one word, whatever the reply repeats', async () => {
  const { env, folder } = await talkativeShop();
  const update = ['orders', 'update', '9', '--buyer-name', '김보람', '--buyer-phone', '010-1234-5678'];
  const { exitCode, stderr } = await runInProcess(update, {
    env: { ...env, REVIEWCTL_TOKEN: 'sesame-open-4711', REVIEWCTL_DEBUG: '2' },
    cwd: folder,
  });
  expect(exitCode).toBe(6);
  const [, name = '', phone = ''] =
    /request body, \d+ bytes: \{"buyer":\{"name":"(person-\w+)","phone":"(person-\w+)"\}\}/.exec(stderr) ??
    [];
  expect(stderr).toContain(
    `reply body, 82 bytes: {"detail":"the phone ${phone} of ${name} is taken; Basic [redacted]"}`,
  );
});

test('a long body is cut with its size named, and one that is no JSON is left out', async () => {
  const { cli } = await talkativeShop();
  const long = await cli('products', 'list', '--debug=2');
  const [, size = 0, text = ''] =
    /reply body, ([\d,]+) bytes, cut at 4,000 characters: (.*)…$/m.exec(long.stderr) ?? [];
  expect({ size, length: text.length }).toEqual({ size: '11,667', length: 4_000 });
  const page = await cli('api', 'GET', '/admin/v2/review/31', '--debug=2');
  expect(page.stderr).toContain('  reply body, 22 bytes, left out: no JSON, so it may contain personal data');
  expect(page.stderr).not.toContain('김보람');
});

test('bodies are part of a message in JSON, and recorded all the same', async () => {
  const { cli, folder } = await talkativeShop();
  const flags = ['--debug=2', '--log-format', 'json', '--record', 'run.har'];
  const { stderr } = await cli('reviews', 'list', ...flags);
  const [first = ''] = stderr.split('\n');
  expect(JSON.parse(first).info.message).toMatch(/^GET .*\nreply body, \d+ bytes: \{/);
  const assumptions = await runInProcess(['doctor', '--assumptions', '--from', 'run.har'], {
    env: {},
    cwd: folder,
  });
  expect(assumptions.stdout).not.toBe('');
});

test('--debug takes no other level', async () => {
  const { cli } = await talkativeShop();
  const { exitCode, stderr } = await cli('reviews', 'list', '--debug=3');
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--debug: '3' expected one of 0, 1, 2"),
  });
});
