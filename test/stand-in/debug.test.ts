import { expect, test } from 'vitest';
import { runInProcess } from '../cli/run-program.ts';
import { standInShop } from './serve-stand-in.ts';

test('--debug shows each request, and no credential that a reply repeats', async () => {
  const [keyId, secret] = ['shop-key-71', 's3cr3t-p4ssword'];
  const token = Buffer.from(`${keyId}:${secret}`).toString('base64');
  const shop = await standInShop({
    'GET /admin/v2/reviews': (_, outgoing) => {
      const { authorization = '' } = outgoing.req.headers;
      const message = `'${authorization}' is no key=value pair: ${keyId}:${secret}, ${secret.slice(0, 9)}`;
      outgoing.setHeader('x-request-id', authorization).writeHead(403);
      return { message, ids: { [authorization]: token } };
    },
  });
  const env = { ...shop.env, REVIEWCTL_TOKEN: token };
  const { stdout, stderr } = await runInProcess(['reviews', 'list', '--debug'], { env, cwd: shop.folder });
  expect(stderr).toMatch(/^GET \/admin\/v2\/reviews\?first=100 -> 403 in \d+ ms$/m);
  expect(stderr).toContain('is no key=value pair');
  for (const part of [token, token.slice(4, 20), secret, secret.slice(0, 9)])
    expect(stdout + stderr).not.toContain(part);
});

test.each(['1', 'true'])('REVIEWCTL_DEBUG=%s asks for the same', async (word) => {
  const { env, folder } = await standInShop({ 'GET /admin/v2/review/{}': () => ({ id: '31' }) });
  const { stderr } = await runInProcess(['reviews', 'get', '31'], {
    env: { ...env, REVIEWCTL_DEBUG: word },
    cwd: folder,
  });
  expect(stderr).toMatch(/review\/31 -> 200 in \d+ ms$/m);
});
