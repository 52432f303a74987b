import { expect, it, test } from 'vitest';
import { cleanEnvironment, temporaryFolder } from '../cli/run-cli.ts';
import { runInProcess } from '../cli/run-program.ts';
import { serveHttp } from '../client/loopback.ts';

const env = cleanEnvironment(temporaryFolder());
const records = [
  '{"id":"1","rating":12345678901234567890,"helpfulCount":9007199254740993}',
  '{"id":"2","rating":1E400,"extra":0.1000000000000000055}',
];

/** Runs a command against a service that gives this reply to everything. */
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
  const { stdout, stderr } = await runWith(page, 'reviews list');
  expect(stdout).toBe(`${records.join('\n')}\n`);
  expect(stderr).not.toContain('rounded');
});

it.each(['reviews list -o json', 'reviews list -o csv', 'reviews list --fields id,rating'])(
  'where digits are lost, one warning names the field: %s',
  async (line) => {
    const { exitCode, stderr } = await runWith(page, line);
    const warnings = stderr.split('\n').filter((text) => text.includes('rounded'));
    expect({ exitCode, count: warnings.length }).toEqual({ exitCode: 0, count: 1 });
    expect(warnings[0]).toContain(
      'listReviews: data[0].rating is 12345678901234567890, which was rounded to 12345678901234567000',
    );
  },
);

test('a record that is read by itself has the same warning', async () => {
  const { stderr } = await runWith(records[1] ?? '', 'reviews get 2');
  expect(stderr).toContain('warning: getReview: rating is 1E400, which is too large, and became null');
});

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
