import { expect, it } from 'vitest';
import { withAuth } from '../../src/client/auth.ts';
import { replyOf, requestOf, scriptedTransport } from './scripted-transport.ts';

const token = Buffer.from('key-id:canary-secret').toString('base64');

const answeredWith = (status: number, body: string) =>
  withAuth(scriptedTransport(replyOf(status, body)).transport, token)(requestOf('GET'));

it.each([
  [200, true],
  [299, true],
  [199, false],
  [300, false],
  [500, false],
])('a reply of status %i may repeat the credential: %s', async (status, mayRepeat) => {
  const { body } = await answeredWith(status, `seen: ${token}`);
  expect(body.includes(token)).toBe(mayRepeat);
});

it('of the body of an error a million characters are kept', async () => {
  expect((await answeredWith(500, 'x'.repeat(1_000_001))).body).toHaveLength(1_000_000);
});
