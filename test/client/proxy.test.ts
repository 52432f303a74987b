import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { openPool } from '../../src/client/pool.ts';
import { deadAddress, lossOf, poolTo, serveSockets } from './loopback.ts';
import { requestOf } from './scripted-transport.ts';

const post = requestOf('POST');

describe('a proxy', () => {
  /** The request to a proxy that answers with 403, for one POST to a service behind it, and its error. */
  async function askedOf(
    proxyVariables: (proxy: string) => Readonly<Record<string, string>>,
    service = 'https://reviews.invalid',
  ) {
    const asked: string[] = [];
    const proxy = await serveSockets((socket) => {
      socket.once('data', (bytes: Buffer) => {
        asked.push(bytes.toString());
        socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      });
    });
    const { transport } = await poolTo(service, {
      env: proxyVariables(proxy.host),
    });
    const loss = await lossOf(transport(post));
    return { asked, loss };
  }

  it.each([
    ['HTTPS_PROXY', {}],
    ['https_proxy', {}],
    ['https_proxy', { HTTPS_PROXY: 'http://other.invalid' }],
    ['HTTPS_PROXY', { https_proxy: '', NO_PROXY: 'example.com' }],
  ])(
    'of %s beside %o is asked for a tunnel; its refusal proves that nothing was sent',
    async (name, others) => {
      const { asked, loss } = await askedOf((host) => ({ ...others, [name]: `user:canary@${host}` }));
      expect(asked.length).toBe(1);
      expect(asked[0]).toMatch(/^CONNECT reviews\.invalid:443 HTTP\/1\.1\r\n/);
      expect(asked[0]).toContain(`${Buffer.from('user:canary').toString('base64')}`);
      expect(loss.wasSent).toBe(false);
      expect(loss.message).not.toContain('canary');
    },
  );

  it.each(['reviews.invalid', '.invalid', 'a.example,reviews.invalid:443', '*'])(
    'is passed by for the hosts of NO_PROXY=%s',
    async (noProxy) => {
      const { asked, loss } = await askedOf((host) => ({ HTTPS_PROXY: `http://${host}`, NO_PROXY: noProxy }));
      expect(asked).toEqual([]);
      expect(loss.message).toBe('the host of the server at https://reviews.invalid is not known');
    },
  );

  it('of HTTP_PROXY is of no concern, even where it is no address', async () => {
    vi.stubEnv('HTTP_PROXY', 'no address');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const { asked } = await askedOf((host) => ({ HTTPS_PROXY: `http://${host}` }));
    expect(asked.length).toBe(1);
  });

  it('is not asked for a service on this machine without TLS', async () => {
    const service = await deadAddress();
    const { asked } = await askedOf(
      (host) => ({ HTTPS_PROXY: `http://${host}`, HTTP_PROXY: `http://${host}` }),
      `http://${service}`,
    );
    expect(asked).toEqual([]);
  });

  it.each(['socks5://user:canary@h', 'http://', 'user:canary@a b'])(
    'whose variable holds no address such as %s is refused without repeating it',
    async (value) => {
      const options = { timeoutMs: 100, replyBytesMaximum: 100, env: { HTTPS_PROXY: value } };
      const error = await openPool(new URL('https://reviews.invalid'), options).catch(
        (reason: unknown) => reason,
      );
      if (!(error instanceof Failure)) throw new Error('no Failure');
      expect({ kind: error.kind, message: error.message }).toEqual({
        kind: 'config',
        message: 'HTTPS_PROXY is not an http or https address',
      });
    },
  );
});
