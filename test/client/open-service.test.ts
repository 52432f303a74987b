import { describe, expect, it } from 'vitest';
import { serviceUrl } from '../../src/client/open-service.ts';
import type { TraceEvent } from '../../src/client/trace.ts';
import { failureOf, productBody } from './call.ts';
import { serveHttp } from './loopback.ts';
import { serviceAt } from './service-at.ts';

const token = Buffer.from('key-id:canary/secret?').toString('base64');

describe('the address of a service', () => {
  it.each([
    ['https://reviews.example', 'https://reviews.example/'],
    ['https://reviews.example/admin/v2', 'https://reviews.example/'],
    ['https://reviews.example/admin/v2/', 'https://reviews.example/'],
    ['https://reviews.example/shop/admin/v2', 'https://reviews.example/shop'],
    ['https://reviews.example/shop//', 'https://reviews.example/shop'],
    ['https://reviews.example/admin/v20', 'https://reviews.example/admin/v20'],
    ['https://reviews.example:8443/?a=1#b', 'https://reviews.example:8443/'],
    ['http://localhost:8080', 'http://localhost:8080/'],
    ['http://LOCALHOST', 'http://localhost/'],
    ['http://127.0.0.1:1/admin/v2', 'http://127.0.0.1:1/'],
    ['http://127.8.9.10', 'http://127.8.9.10/'],
    ['http://[::1]:8080', 'http://[::1]:8080/'],
  ])('%s is %s', (address, href) => {
    expect(serviceUrl(address).href).toBe(href);
  });

  it.each([
    'http://reviews.example',
    'http://127.0.0.1.evil.com',
    'http://127.evil.com',
    'http://localhost.evil.com',
    'http://evil.com?localhost',
    'http://evil.com#127.0.0.1',
    'http://0.0.0.0',
    'http://[::]',
    'http://[::2]',
    'http://10.0.0.1',
    'http://128.0.0.1',
  ])('%s is refused, since plain http would expose the credential', (address) => {
    expect(() => serviceUrl(address)).toThrow(/^plain http to .* would expose the credential/);
  });

  it('that is refused for plain http is suggested in its right form', () => {
    expect(() => serviceUrl('http://reviews.example:8080/shop/')).toThrow(
      expect.objectContaining({
        kind: 'config',
        hint: 'use https: -c base-url=https://reviews.example/shop',
      }),
    );
  });

  it.each([
    'https://user:canary@reviews.example',
    'https://canary@reviews.example',
    'http://user:canary@localhost',
    'ftp://user:canary@reviews.example',
    'https//user:canary@reviews.example',
  ])('%s is refused without repeating what may be a password', (address) => {
    expect(() => serviceUrl(address)).toThrow(
      expect.objectContaining({ kind: 'config', message: expect.not.stringContaining('canary') }),
    );
  });

  it.each(['', 'reviews.example', 'file:///etc/passwd', 'javascript:alert(1)', 'https://'])(
    '"%s" is none',
    (address) => {
      expect(() => serviceUrl(address)).toThrow(`the base URL '${address}' is not an address`);
    },
  );

  it.each([
    ['reviews.example', 'https://reviews.example'],
    ['127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ['localhost:4010/x', 'http://localhost:4010/x'],
    ['user:canary@reviews.example', 'https://…'],
  ])('%s without its scheme is answered with what was most likely meant', (address, meant) => {
    const hint = `give the address of the service with its scheme: -c base-url=${meant}`;
    expect(() => serviceUrl(address)).toThrow(expect.objectContaining({ hint }));
  });
});

describe('a service', () => {
  it('is called with the credential below the path of its address', async () => {
    const { url, seen } = await serveHttp((_, outgoing) => outgoing.end('{"id":"1"}'));
    const { api } = await serviceAt(`${url}/shop/admin/v2`, { token });
    await api.call('createProduct', productBody);
    expect(seen).toMatchObject([
      { method: 'POST', url: '/shop/admin/v2/product', headers: { authorization: `Basic ${token}` } },
    ]);
  });

  it('is refused a reply of more than 64 MiB', async () => {
    const body = Buffer.from(`{"id":"1"${' '.repeat(64 * 1024 * 1024)}}`);
    const { url } = await serveHttp((_, outgoing) => outgoing.end(body));
    const { api } = await serviceAt(url, { retries: 0 });
    const failure = await failureOf(api.call('createProduct', productBody));
    expect(failure.message).toContain('the response exceeds 64 MiB');
  });

  it('is not called again by a run that stops', async () => {
    const stop = new AbortController();
    const { url, seen } = await serveHttp((_, outgoing) => {
      stop.abort();
      outgoing.writeHead(503).end();
    });
    const { api } = await serviceAt(url, { stopping: stop.signal });
    const failure = await failureOf(api.call('listProducts', {}));
    expect({ requests: seen.length, kind: failure.kind }).toEqual({ requests: 1, kind: 'overloaded' });
  });

  it('is called no faster than its rate, tries again included', async () => {
    let left = 1;
    const { url } = await serveHttp((_, outgoing) => {
      left -= 1;
      outgoing.writeHead(left >= 0 ? 429 : 200).end('{"totalCount":0,"data":[]}');
    });
    const { api, clock } = await serviceAt(url, { rate: 1, random: () => 0 });
    await api.call('listProducts', {});
    expect(clock.pauses).toEqual([50, 950]);
  });
});

describe('a trace', () => {
  it('reports every attempt with its result, and neither headers nor bodies', async () => {
    const events: TraceEvent[] = [];
    let left = 1;
    const { url } = await serveHttp((_, outgoing) => {
      left -= 1;
      outgoing.writeHead(left >= 0 ? 429 : 200, { date: 'Thu, 01 Jan 2026 00:00:00 GMT' }).end('{"id":"1"}');
    });
    const { api } = await serviceAt(url, { onExchange: (event) => events.push(event) });
    await api.call('createProduct', productBody);
    const event = {
      operation: 'createProduct',
      method: 'POST',
      path: '/admin/v2/product',
      tookMs: 0,
      inFlight: 1,
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
    };
    expect(events).toEqual([
      { ...event, result: 429 },
      { ...event, result: 200 },
    ]);
  });
});

it('who watches a service hears of every attempt, retries and lost ones included', async () => {
  const answers = [429, 503, 'reset', 200] as const;
  let count = 0;
  const { url } = await serveHttp((incoming, outgoing) => {
    const answer = answers[count++];
    if (typeof answer === 'number') outgoing.writeHead(answer).end('{"data":[]}');
    else incoming.socket.resetAndDestroy();
  });
  const service = await serviceAt(url);
  const results: (number | string)[] = [];
  service.watch(({ result }) => results.push(result));
  await service.api.call('listProducts', {});
  expect(results).toEqual([429, 503, `the server at ${url} closed the connection`, 200]);
});

describe('the credential', () => {
  /** All texts in an error that could be printed or logged, at any depth. */
  function everythingIn(value: unknown, depth = 0): string {
    if (typeof value !== 'object' || value === null || depth > 6) return String(value);
    return Object.getOwnPropertyNames(value)
      .map((name) => `${name}=${everythingIn((value as Readonly<Record<string, unknown>>)[name], depth + 1)}`)
      .join('\n');
  }

  it.each([
    ['as it was sent', 400, `You sent Authorization: Basic ${token}`],
    ['in JSON', 422, JSON.stringify({ detail: [{ loc: ['header'], msg: `Basic ${token}`, type: 'x' }] })],
    ['in JSON with escaped slashes', 401, `{"detail":"Basic ${token.replaceAll('/', '\\/')}"}`],
    ['without its padding', 401, `<p>${token.replace(/=+$/, '')}</p>`],
    ['as a web page writes it', 400, '<p>key-id:canary&#47;secret&quest;</p>'],
    ['cut off', 502, `<p>Authorization: Basic ${token.slice(0, 20)}…</p>`],
    ['taken apart', 500, '<p>user key-id, password canary/secret?</p>'],
    ['in what it is made of', 403, '{"detail":"key-id:canary\\/secret?"}'],
  ])('that an error page repeats %s is in no message and no error', async (_, status, page) => {
    const events: TraceEvent[] = [];
    const { url } = await serveHttp((__, outgoing) => outgoing.writeHead(status).end(page));
    const { api } = await serviceAt(url, { token, retries: 0, onExchange: (event) => events.push(event) });
    const failure = await failureOf(api.call('createProduct', productBody));
    const told = everythingIn(failure) + everythingIn(events);
    expect(told).toContain('[redacted]');
    expect([token, 'canary'].filter((secret) => told.includes(secret))).toEqual([]);
  });

  it('that a redirect repeats is in no message', async () => {
    const { url } = await serveHttp((_, outgoing) => {
      outgoing.writeHead(302, { location: `/login/${encodeURIComponent(token)}` }).end();
    });
    const { api } = await serviceAt(url, { token });
    const failure = await failureOf(api.call('createProduct', productBody));
    expect(failure.message).toBe('createProduct: the service redirects to /login/[redacted] (302)');
  });

  it('is in nothing that is thrown where no answer came', async () => {
    const { url } = await serveHttp((incoming) => incoming.socket.resetAndDestroy());
    const { api } = await serviceAt(url, { token });
    const failure = await failureOf(api.call('createProduct', productBody));
    expect(everythingIn(failure)).not.toContain(token);
  });
});
