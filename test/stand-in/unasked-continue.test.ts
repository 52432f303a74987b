import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, temporaryFolder } from '../cli/run-cli.ts';
import { runInProcess } from '../cli/run-program.ts';
import { serveSockets } from '../client/loopback.ts';

const interim = {
  'one 100': 'HTTP/1.1 100 Continue\r\n\r\n',
  'one 100 with headers': 'HTTP/1.1 100 Continue\r\nserver: old\r\n\r\n',
  'two 100': 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
  '102 and 100': 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
} as const;

/** Serves one JSON reply to every request, after unrequested interim replies. */
async function serveBehind(before: string, replyTo: (body: string) => object, isAtOnce: boolean) {
  let requests = 0;
  const { url } = await serveSockets((socket) => {
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (!text.includes('\r\n\r\n') || body.length < length) return;
      text = '';
      requests += 1;
      const reply = JSON.stringify(replyTo(body));
      const rest = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${reply.length}\r\n\r\n${reply}`;
      if (isAtOnce) socket.write(before + rest);
      else socket.write(before, () => setImmediate(() => socket.write(rest)));
    });
  });
  return { url, count: () => requests };
}

const cases = Object.entries(interim).flatMap(([name, before]) =>
  [true, false].map((isAtOnce) => [name, isAtOnce ? 'at once' : 'apart', before, isAtOnce] as const),
);

test.each(cases)(
  'orders are pushed once to a service that sends %s, %s',
  async (_, _how, before, isAtOnce) => {
    const folder = temporaryFolder();
    const rows = Array.from({ length: 5 }, (_row, index) => `O${index},I${index},P1`);
    writeFileSync(
      join(folder, 'items.csv'),
      ['orderOriginId,originId,productOriginId', ...rows, ''].join('\n'),
    );
    const served = await serveBehind(
      before,
      (body) =>
        (JSON.parse(body) as readonly object[]).map((_entry, index) => ({
          jobId: `${index}`,
          status: 'PENDING',
        })),
      isAtOnce,
    );
    const env = {
      ...cleanEnvironment(folder),
      REVIEWCTL_BASE_URL: served.url,
      REVIEWCTL_TOKEN: 'token',
    };
    const push = ['orders', 'push', 'items.csv', '-c', 'batch-size=2', '-o', 'count'];
    const { exitCode, stderr } = await runInProcess(push, { env, cwd: folder });
    expect({ exitCode, requests: served.count() }).toEqual({ exitCode: 0, requests: 3 });
    expect(stderr).toContain('5 order items: 5 queued');
  },
);

test.each(Object.entries(interim))('a payer that sends %s has paid', async (_, before) => {
  const served = await serveBehind(before, () => ({ outcome: 'paid', ref: 'R1' }), true);
  const check = ['payer', 'check', '--payer-url', `${served.url}/`, '--member', 'M', '--yes'];
  const env = cleanEnvironment(temporaryFolder());
  const { stdout, stderr } = await runInProcess(check, { env });
  expect(stdout + stderr).not.toContain('broke');
  expect(stdout).toContain('R1');
});
