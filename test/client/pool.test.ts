import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { version } from '../../src/base/version.ts';
import { deadAddress, listen, lossOf, poolTo, serveHttp, serveSockets } from './loopback.ts';
import { requestOf } from './scripted-transport.ts';

const get = requestOf('GET');
const post = requestOf('POST');

/** Answers the first bytes of each connection with `text`, then does `after`. */
function answering(text: string, after: (socket: Socket) => void = () => undefined) {
  return serveSockets((socket) => {
    socket.once('data', () => socket.write(text, () => after(socket)));
  });
}

describe('an exchange', () => {
  it('carries method, path, headers and body as they are, and the answer back', async () => {
    const { url, seen } = await serveHttp((_, outgoing) => {
      outgoing.writeHead(201, { 'X-Word': 'ja', 'Set-Cookie': ['a=1', 'b=2'] }).end('{"name":"사과"}');
    });
    const { transport } = await poolTo(url);
    const request = {
      ...post,
      path: '/admin/v2/product?x=%EA%B0%80',
      headers: { accept: 'a/b' },
      body: '{"a":"나"}',
    };
    const reply = await transport(request);
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/admin/v2/product?x=%EA%B0%80',
        headers: {
          host: url.slice('http://'.length),
          connection: 'keep-alive',
          accept: 'a/b',
          'accept-encoding': 'gzip, identity',
          'user-agent': `reviewctl/${version}`,
          'content-length': '11',
        },
        body: '{"a":"나"}',
      },
    ]);
    expect(reply).toMatchObject({ status: 201, body: '{"name":"사과"}' });
    expect(reply.headers).toMatchObject({ 'x-word': 'ja', 'set-cookie': 'a=1, b=2' });
  });

  it.each([
    ['', '/admin/v2/products'],
    ['/', '/admin/v2/products'],
    ['/shop/a', '/shop/a/admin/v2/products'],
    ['/shop/a/', '/shop/a/admin/v2/products'],
  ])('at a base address ending in "%s" goes to %s', async (prefix, path) => {
    const { url, seen } = await serveHttp((_, outgoing) => outgoing.end('{}'));
    const { transport } = await poolTo(url + prefix);
    await transport(get);
    expect(seen.map((request) => request.url)).toEqual([path]);
  });

  it('returns a redirect unchanged and asks no other server', async () => {
    const { url, seen } = await serveHttp((_, outgoing) => {
      outgoing.writeHead(307, { location: '/elsewhere' }).end();
    });
    const { transport } = await poolTo(url);
    expect(await transport(post)).toMatchObject({ status: 307, headers: { location: '/elsewhere' } });
    expect(seen.length).toBe(1);
  });

  it.each([
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xb0, 0xa1, 0xff, 0x22]), '"\ufffd\ufffd\ufffd"'],
    ['gzip that says it is none', gzipSync('{}'), gzipSync('{}').toString()],
    ['nothing', Buffer.alloc(0), ''],
  ])('survives a body of %s', async (_, bytes, body) => {
    const { url } = await serveHttp((__, outgoing) => outgoing.end(bytes));
    const { transport } = await poolTo(url);
    expect(await transport(get)).toMatchObject({ status: 200, body });
  });

  it('takes a reply as large as its bound, and none that is one byte larger', async () => {
    let size = 1024;
    const { url } = await serveHttp((_, outgoing) => outgoing.end('x'.repeat(size)));
    const { transport } = await poolTo(url, { replyBytesMaximum: 1024 });
    expect((await transport(get)).body.length).toBe(1024);
    size = 1025;
    expect(await lossOf(transport(get))).toEqual({
      message: 'the response exceeds 1 KiB',
      wasSent: true,
    });
  });
});

describe('a compressed reply', () => {
  async function compressed(bytes: Buffer, encoding = 'gzip') {
    const { url } = await serveHttp((_, outgoing) => {
      outgoing.writeHead(200, { 'Content-Encoding': encoding }).end(bytes);
    });
    return poolTo(url, { replyBytesMaximum: 1000 });
  }

  it.each(['gzip', 'x-gzip', 'GZIP'])('in %s is decompressed', async (encoding) => {
    const { transport } = await compressed(gzipSync('{"name":"사과"}'), encoding);
    expect(await transport(post)).toMatchObject({ status: 200, body: '{"name":"사과"}' });
  });

  it.each([
    ['too large once it is decompressed', gzipSync(Buffer.alloc(1001, 'x'))],
    ['cut off', gzipSync('{"name":"a longer one"}').subarray(0, 24)],
  ])('that is %s is handed on as it came', async (_, bytes) => {
    const { transport } = await compressed(bytes);
    expect((await transport(get)).body).toBe(bytes.toString());
  });

  it('without a body stays without one', async () => {
    const { transport } = await compressed(Buffer.alloc(0));
    expect(await transport(get)).toMatchObject({ status: 200, body: '' });
  });
});

describe('an exchange among others', () => {
  it.each([
    ['repeatable', get],
    ['not repeatable', post],
  ])(
    'that is %s uses the connections of those before; the last one may be a moment from being free',
    async (_, request) => {
      const { url, sockets, seen } = await serveHttp((__, outgoing) => outgoing.end('{}'));
      const { transport } = await poolTo(url);
      for (let count = 1; count <= 6; count += 1) await transport(request);
      expect(seen.length).toBe(6);
      expect(sockets.size).toBeLessThanOrEqual(2);
    },
  );

  it('that may not be repeated leaves an idle connection before a server that closes it after a second', async () => {
    const { url, server } = await serveSockets((served) => {
      served.setTimeout(1000, () => served.destroy());
      served.on('data', () => served.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
    });
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const { transport } = await poolTo(url);
    await transport(post);
    const [socket] = await connected;
    const leftByClient = once(socket, 'end').then(() => 'the client left');
    const closedByServer = once(socket, 'close').then(() => 'the server closed');
    expect(await Promise.race([leftByClient, closedByServer])).toBe('the client left');
  });

  it('waits for a connection where 128 are taken', async () => {
    const held: ServerResponse[] = [];
    const { url, sockets, seen } = await serveHttp((_, outgoing) => {
      held.push(outgoing);
      if (seen.length >= 128) for (const answer of held.splice(0)) answer.end('{}');
    });
    const { transport } = await poolTo(url);
    const replies = await Promise.all(Array.from({ length: 130 }, () => transport(get)));
    expect({ replies: replies.length, connections: sockets.size }).toEqual({
      replies: 130,
      connections: 128,
    });
  });
});

describe('a request that provably reached no server', () => {
  it('is one whose connection was refused', async () => {
    const host = await deadAddress();
    const { transport } = await poolTo(`http://${host}`);
    expect(await lossOf(transport(post))).toEqual({
      message: `the server at http://${host} does not answer (connection refused)`,
      wasSent: false,
    });
  });

  it('is one whose host has no address', async () => {
    const { transport } = await poolTo('http://nowhere.invalid');
    expect(await lossOf(transport(post))).toEqual({
      message: 'the host of the server at http://nowhere.invalid is not known',
      wasSent: false,
    });
  });

  it('is one to a server that does not speak https', async () => {
    const { host } = await serveSockets((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const { transport } = await poolTo(`https://${host}`);
    const { message, wasSent } = await lossOf(transport(post));
    expect(wasSent).toBe(false);
    expect(message).toBe(`the server at https://${host} does not speak https`);
  });

  it('is one to a server with which no secure connection can be made', async () => {
    const { host } = await listen(createSecureServer());
    const { transport } = await poolTo(`https://${host}`);
    const { message, wasSent } = await lossOf(transport(post));
    expect(wasSent).toBe(false);
    expect(message).toMatch(
      new RegExp(
        `^no secure connection to the server at https://${host} \\(ERR_SSL_\\w+\\): [\\w ]*handshake failure$`,
      ),
    );
  });

  it('is one whose connection was not made in time', async () => {
    const { host } = await serveSockets(() => undefined);
    const { transport } = await poolTo(`https://${host}`, { timeoutMs: 50 });
    expect(await lossOf(transport(post))).toEqual({
      message: `no connection to https://${host} within 0.05 s`,
      wasSent: false,
    });
  });

  it('is not sent after all once its connection is there and its caller is gone', async () => {
    let received = '';
    const { url, server } = await serveSockets((socket) => {
      socket.on('data', (bytes: Buffer) => {
        received += bytes.toString();
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      });
    });
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const { transport } = await poolTo(url);
    const leaving = new AbortController();
    const reply = transport(post, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(reply).rejects.toThrow('gone');
    const [socket] = await connected;
    await once(socket, 'close');
    expect(received).toBe('');
  });
});

describe('a request that may have had its effect', () => {
  it.each([
    ['before the answer', ''],
    ['within the head', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['after the head', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n'],
    ['within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"a":'],
    ['within a chunked body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n'],
  ])('is one whose connection was reset or closed %s', async (_, text) => {
    for (const how of ['resetAndDestroy', 'end'] as const) {
      const { url } = await answering(text, (socket) => socket[how]());
      const { transport } = await poolTo(url);
      expect(await lossOf(transport(post)), how).toEqual({
        message: `the server at ${url} closed the connection`,
        wasSent: true,
      });
    }
  });

  it('is one that was answered with something else than HTTP', async () => {
    const { url } = await answering('SSH-2.0-OpenSSH_9.6\r\n\r\n');
    const { transport } = await poolTo(url);
    const { message, wasSent } = await lossOf(transport(post));
    expect(wasSent).toBe(true);
    expect(message).toMatch(`the server at ${url} does not speak HTTP`);
  });

  it.each([
    ['nothing', (): void => undefined],
    ['a head and no body', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n')],
    [
      'a body that trickles and never ends',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const trickle = setInterval(() => socket.write('x'), 5);
        socket.on('close', () => clearInterval(trickle));
      },
    ],
  ])('is one that within its time was answered with %s', async (_, answer) => {
    const { url } = await serveSockets((socket) => socket.once('data', () => answer(socket)));
    const { transport } = await poolTo(url, { timeoutMs: 300 });
    await expect(transport(post)).rejects.toMatchObject({
      message: 'no complete answer within 0.3 s',
      wasSent: true,
    });
  });

  it('takes no connection with it: the next one is answered', async () => {
    let calls = 0;
    const { url } = await serveHttp((_, outgoing) => {
      calls += 1;
      if (calls > 1) outgoing.end('{}');
    });
    const { transport } = await poolTo(url, { timeoutMs: 1500 });
    expect((await lossOf(transport(get))).wasSent).toBe(true);
    expect((await transport(get)).status).toBe(200);
  });
});

describe('giving up and closing', () => {
  it('sends nothing for a caller who has given up before', async () => {
    const { url, sockets } = await serveHttp((_, outgoing) => outgoing.end('{}'));
    const { transport } = await poolTo(url);
    await expect(transport(get, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(sockets.size).toBe(0);
  });

  it('breaks off the request under way with the reason of the caller', async () => {
    const leaving = new AbortController();
    const { url, server } = await serveHttp(() => leaving.abort(new Error('gone')));
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const { transport } = await poolTo(url);
    await expect(transport(post, leaving.signal)).rejects.toThrow('gone');
    const [socket] = await connected;
    await once(socket, 'close');
  });

  it('leaves no connection open, idle or under way', async () => {
    const { url, sockets, server } = await serveHttp((incoming, outgoing) => {
      if (incoming.method === 'GET') outgoing.end('{}');
      else server.emit('under way');
    });
    const pool = await poolTo(url);
    await pool.transport(get);
    const isUnderWay = once(server, 'under way');
    const loss = lossOf(pool.transport(post));
    await isUnderWay;
    await pool.close();
    expect(await loss).toEqual({ message: 'The client is destroyed', wasSent: true });
    for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
    expect(sockets.size).toBeGreaterThan(0);
  });
});
