import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { deadAddress, serveSockets } from '../client/loopback.ts';
import { authorityFile, serveHttps } from '../client/serve-https.ts';
import { cleanEnvironment, expectEnd, expectNothing, runCli, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

function environment(more: Readonly<Record<string, string>>) {
  const base = {
    REVIEWCTL_BASE_URL: 'https://reviews.invalid',
    REVIEWCTL_TOKEN: 'token',
  };
  return { ...cleanEnvironment(temporaryFolder()), ...base, ...more };
}

const payerCheck = [
  ...['payer', 'check', '--payer-url', 'https://pay.invalid/'],
  ...['--member', 'M', '--yes'],
];

/** Starts a proxy that runs `talk` on each socket after a request for a tunnel. */
async function proxyThat(talk: (socket: Socket) => void): Promise<string> {
  const { host } = await serveSockets((socket) => {
    socket.once('data', () => talk(socket));
  });
  return host;
}

const proxies = {
  down: deadAddress,
  'asking for a password': () =>
    proxyThat((socket) =>
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'),
    ),
  refusing: () => proxyThat((socket) => socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')),
  mute: () => proxyThat(() => undefined),
  'not a proxy': () => proxyThat((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
} as const;

const cases = [
  ['down', 'the proxy at http://HOST does not answer (connection refused)', 'correct it'],
  [
    'asking for a password',
    'the proxy at http://HOST requires a valid user name and password (407)',
    'give them in HTTPS_PROXY: http://USER:PASSWORD@HOST:PORT',
  ],
  ['refusing', 'the proxy at http://HOST refused to connect to NAME (403)', 'ask its operator to allow NAME'],
  ['mute', 'no connection to NAME through the proxy at http://HOST within 0.2 s', 'correct it'],
  ['not a proxy', 'the proxy at http://HOST does not speak HTTP', 'correct it'],
] as const;

/** Starts a proxy that opens tunnels; `asked` collects the first line of each request. */
async function tunnellingProxy() {
  const asked: string[] = [];
  const { host } = await serveSockets((socket) => {
    socket.once('data', (bytes: Buffer) => {
      const [line = ''] = bytes.toString().split('\r\n');
      asked.push(line);
      const [name = '', port = ''] = line.split(' ')[1]?.split(':') ?? [];
      const target = connect(Number(port), name, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(target).pipe(socket);
      });
      target.on('error', () => socket.destroy());
    });
  });
  return { host, asked };
}

describe('a proxy', () => {
  it('makes a tunnel for a list, also to a service that sends 100 Continue', async () => {
    const {
      url,
      host: service,
      seen,
    } = await serveHttps((_, outgoing) => {
      outgoing.writeContinue();
      outgoing.end('{"data":[],"totalCount":0}');
    });
    const { host, asked } = await tunnellingProxy();
    const more = { NODE_EXTRA_CA_CERTS: authorityFile, HTTPS_PROXY: host, REVIEWCTL_BASE_URL: url };
    expectEnd(await runCli('reviews list', { env: environment(more) }), 0);
    expect({ requests: seen.length, asked }).toEqual({ requests: 1, asked: [`CONNECT ${service} HTTP/1.1`] });
  });

  it.each(cases)('that is %s is named as the proxy, without its password', async (kind, message, remedy) => {
    const host = await proxies[kind]();
    // Only a silent proxy needs a timeout.
    const isMute = kind === 'mute';
    const brief = ['-c retries=0', ...(isMute ? ['-c', 'timeout=200ms'] : [])];
    const env = environment({ HTTPS_PROXY: `http://user:canary@${host}` });
    const worded = (text: string, name: string) =>
      text.replace('http://HOST', `http://${host}`).replace('NAME', name);
    const list = expectEnd(
      await runInProcess(['reviews list', ...brief], { env }),
      5,
      `error: listReviews: ${worded(message, 'reviews.invalid')}\nhint: `,
      remedy.replace('NAME', 'reviews.invalid'),
      'to call reviews.invalid without it, add it to NO_PROXY\n',
    );
    const doctor = await runInProcess(['doctor -o ndjson', ...brief], { env });
    expect(doctor.stdout).toContain(worded(message, 'reviews.invalid'));
    expect(doctor.stdout).toContain('add it to NO_PROXY');
    const payer = await runInProcess([...payerCheck, ...(isMute ? ['-c', 'payer-timeout=200ms'] : [])], {
      env,
    });
    expect(payer.stdout + payer.stderr).toContain(`${worded(message, 'pay.invalid')}; `);
    for (const { stdout, stderr } of [list, doctor, payer]) expect(stdout + stderr).not.toContain('canary');
  });
});

describe('NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  it.each([
    ['a list', ['reviews', 'list']],
    ['a push', ['reviews', 'hide', '1']],
    ['a payer', payerCheck],
  ])('is refused for another machine: %s', async (_, argv) => {
    const env = environment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expectNothing(
      await runInProcess(argv, { env }),
      2,
      /^error: NODE_TLS_REJECT_UNAUTHORIZED=0 disables certificate checks, /,
      'hint: unset NODE_TLS_REJECT_UNAUTHORIZED; ',
    );
  });

  it('is a finding of the doctor, which ends with 2', async () => {
    const env = environment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    const { stdout } = expectEnd(await runInProcess('doctor -o ndjson', { env }), 2);
    expect(stdout).toContain(
      '{"check":"reach","status":"problem","message":"NODE_TLS_REJECT_UNAUTHORIZED=0 ',
    );
  });

  it('is of no concern for a service of this machine', async () => {
    const { url } = await serveHttps((_, outgoing) => outgoing.end('{"data":[],"totalCount":0}'));
    const env = environment({ NODE_TLS_REJECT_UNAUTHORIZED: '0', REVIEWCTL_BASE_URL: url });
    const { stderr } = await runInProcess('reviews list -c retries=0', { env });
    expect(stderr).not.toContain('disables certificate checks');
  });
});
