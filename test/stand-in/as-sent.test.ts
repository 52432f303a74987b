import { expect, it, test } from 'vitest';
import { cleanEnvironment, temporaryFolder } from '../cli/run-cli.ts';
import { runInProcess } from '../cli/run-program.ts';
import { serveHttp } from '../client/loopback.ts';

const env = cleanEnvironment(temporaryFolder());
const records = [
  '{"id":"1","rating":12345678901234567890,"helpfulCount":9007199254740993}',
  '{"id":"2","rating":1E400,"extra":0.1000000000000000055}',
];

/** Runs a command against a service that sends this reply to every request. */
async function runWith(reply: string | Buffer, line: string) {
  const { url } = await serveHttp((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(reply);
  });
  return runInProcess(line.split(' '), {
    env: { ...env, REVIEWCTL_BASE_URL: url, REVIEWCTL_TOKEN: 'a-token' },
  });
}

const page = `{"totalCount":2,"data":[${records.join(',')}],"pageInfo":{"hasNextPage":false,"endCursor":null}}`;

test('a list in a pipe keeps every digit of numbers', async () => {
  expect((await runWith(page, 'reviews list')).stdout).toBe(`${records.join('\n')}\n`);
});

it.each(['reviews list -o csv', 'reviews list --fields id,rating'])(
  'where digits cannot be kept, no warning says so: %s',
  async (line) => {
    expect(await runWith(page, line)).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining('warning'),
    });
  },
);

test('bytes that are not UTF-8 are one warning with their place', async () => {
  const [before, after] = page.split('"2"');
  const reply = Buffer.concat([
    Buffer.from(`${before}"2","text":"`),
    Buffer.from([0xb0]),
    Buffer.from(`"${after}`),
  ]);
  const { exitCode, stderr } = await runWith(reply, 'reviews list');
  const warnings = stderr.split('\n').filter((text) => text.includes('UTF-8'));
  expect({ exitCode, warnings }).toEqual({
    exitCode: 0,
    warnings: [
      `warning: listReviews: the reply is not UTF-8 at byte ${reply.indexOf(0xb0)} (data[1].text); unreadable characters became \uFFFD`,
    ],
  });
});
