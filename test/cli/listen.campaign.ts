import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { environmentAt, expectEnd, programPath, runCli, temporaryFolder, typedWords } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const pathSecret = 'path-secret-of-listen';

interface Place {
  readonly folder: string;
  readonly served: ServedSandbox;
  readonly env: Readonly<Record<string, string>>;
  readonly payer: string;
  /** `rewards listen` with all required flags. */
  readonly line: string;
  readonly payments: () => readonly string[];
}

/** A sandbox on a port, a ledger, a path secret, and a payer program. */
async function openPlace(payerLines = payNow, reviews = 8): Promise<Place> {
  const folder = temporaryFolder();
  const served = await serveSandbox({
    port: 0,
    token: btoa('key:secret'),
    orders: 40,
    reviews,
    assumptions: { rewardStatusAfterWebhook: 'stays' },
  });
  onTestFinished(() => served.close());
  const env = environmentAt(folder, served);
  expectEnd(await runInProcess('ledger init -c shop=test', { env }), 0);
  const secretFile = join(folder, 'path-secret');
  writeFileSync(secretFile, `${pathSecret}\n`, { mode: 0o600 });
  execFileSync('bash', ['-c', 'mkfifo begun gate'], { cwd: folder });
  const payer = join(folder, 'pay.sh');
  writeFileSync(payer, `#!/bin/sh\ncd ${folder}\n${payerLines}\n`, { mode: 0o755 });
  const log = join(folder, 'payments');
  return {
    folder,
    served,
    env,
    payer: `--payer-command ${payer}`,
    line: `rewards listen -c port=0 -c path-secret-file=${secretFile} -c allow-ip=127.0.0.1 --payer-command ${payer}`,
    payments: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
  };
}

const payNow = 'cat >> payments\necho \'{"outcome":"paid","ref":"r-1"}\'';
/** Signals its start through `begun`, then waits until the test lets it end. */
const payAtGate = `cat >> payments\necho > begun\nread line < gate\necho '{"outcome":"paid","ref":"r-1"}'`;

interface Listening {
  readonly readyLine: string;
  readonly url: string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Stops it as a service manager does. */
  readonly stop: () => Listening['ended'];
  /** Resolves once a line on stderr begins with `words`. */
  readonly said: (words: string) => Promise<void>;
  readonly ended: Promise<{
    readonly exitCode: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

/** Starts the built program and waits until it is ready; a shell runs `prelude` first. */
async function listen(
  { line, env }: Place,
  { flags = '', prelude = '' }: { readonly flags?: string; readonly prelude?: string } = {},
): Promise<Listening> {
  const command = [process.execPath, programPath, ...typedWords(`${line} ${flags}`)];
  const child = spawn('bash', ['-c', `${prelude} exec "$@"`, 'bash', ...command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines: string[] = [];
  const errors: string[] = [];
  const errorLines = createInterface(child.stderr);
  errorLines.on('line', (line) => errors.push(line));
  const out = createInterface(child.stdout);
  out.on('line', (line) => lines.push(line));
  const ended = once(child, 'close').then(([exitCode]) => ({
    exitCode: exitCode as number | null,
    stdout: lines.join('\n'),
    stderr: errors.join('\n'),
  }));
  await Promise.race([once(out, 'line'), ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  const [readyLine = ''] = lines;
  const { url } = JSON.parse(readyLine) as { url: string };
  return {
    readyLine,
    url: url.replace('[redacted]', pathSecret),
    kill: (signal) => child.kill(signal),
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
    said: async (words) => {
      while (!errors.some((line) => line.startsWith(words))) await once(errorLines, 'line');
    },
    ended,
  };
}

async function post(url: string, reward: unknown): Promise<string> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(reward),
  });
  return `${reply.status} ${await reply.text()}`;
}

/** Queued rewards of members. */
async function waiting({ env }: Place): Promise<readonly { readonly id: string }[]> {
  const { stdout } = await runInProcess('rewards list --status QUEUED -o json', { env });
  const rewards = JSON.parse(stdout) as { id: string; order: { memberOriginId: string | null } }[];
  return rewards.filter(({ order }) => order.memberOriginId);
}

async function ledgerEntry({ env }: Place, id: string) {
  const { stdout } = await runInProcess('ledger list -o json', { env });
  return (JSON.parse(stdout) as { rewardId: string }[]).find(({ rewardId }) => rewardId === id);
}

const paid = '200 {"message":"paid"}';

it('one line tells where it listens, calls are logged as JSON without secrets, SIGTERM ends it with 143', async () => {
  const place = await openPlace();
  const { readyLine, url, stop } = await listen(place);
  expect(readyLine).toMatch(/^\{"url":"http:\/\/127\.0\.0\.1:\d+\/rewards\/\[redacted\]"\}$/);
  const [reward] = await waiting(place);
  expect(await post(url, reward)).toBe(paid);
  expect(await post(url, { ...reward, id: `${place.served.token}\u202e` })).toMatch(/^503 /);
  expect(await post(url, { ...reward, id: `${place.served.token}\u001b[2J` })).toMatch(/^400 /);
  expect(await post(url.replace('path', 'hunt'), reward)).toMatch(/^404 /);
  const { stdout, stderr } = expectEnd(await stop(), 143);
  expect(stdout).toBe(readyLine);
  const log = stderr.split('\n').filter((line) => line.startsWith('{"time"'));
  expect(log.map((line) => (JSON.parse(line) as { status: number }).status)).toEqual([200, 503, 400, 404]);
  expect(JSON.parse(log[0] ?? '')).toMatchObject({
    rewardId: reward?.id,
    message: 'paid',
    caller: '127.0.0.1',
  });
  expect(stderr).not.toMatch(/[\u001b\u202e]/);
  for (const secret of [pathSecret, place.served.token]) expect(stderr + stdout).not.toContain(secret);
  expect(stderr).toContain(
    'receiver stopped: every accepted call is answered, every outcome is in the ledger',
  );
});

it('what the webhook paid is told, and the poll proves it and pays the rest', async () => {
  const place = await openPlace();
  const { url, stop } = await listen(place);
  const rewards = await waiting(place);
  const [reward] = rewards;
  expect(await post(url, reward)).toBe(paid);
  expect(await ledgerEntry(place, reward?.id ?? '')).toMatchObject({
    payment: 'paid',
    report: 'sent',
    ref: 'r-1',
  });
  expectEnd(await runCli(`rewards settle ${place.payer} -o ndjson`, place), 0);
  expect(await ledgerEntry(place, reward?.id ?? '')).toMatchObject({ report: 'confirmed' });
  expect(place.payments()).toHaveLength(rewards.length);
  await stop();
});

it('SIGTERM while a payment is under way answers its call, takes no new one, and leaves nothing open', async () => {
  const place = await openPlace(payAtGate);
  const { url, kill, ended } = await listen(place);
  const [reward] = await waiting(place);
  const given = post(url, reward);
  await readFile(join(place.folder, 'begun'));
  kill('SIGTERM');
  await writeFile(join(place.folder, 'gate'), '\n');
  expect(await given).toBe(paid);
  expectEnd(await ended, 143);
  expect(await ledgerEntry(place, reward?.id ?? '')).toMatchObject({ payment: 'paid', report: 'sent' });
  await expect(post(url, reward)).rejects.toThrow('fetch failed');
});

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'left at once (a second %s) while the payer is at work, the next receiver learns what it did and pays nothing again',
  async (signal) => {
    const place = await openPlace(payAtGate);
    const first = await listen(place);
    const [reward] = await waiting(place);
    const lost = post(first.url, reward).catch(() => 'lost');
    await readFile(join(place.folder, 'begun'));
    first.kill('SIGTERM');
    await first.said('stopping: ');
    first.kill(signal);
    expect((await first.ended).exitCode).toBe(signal === 'SIGTERM' ? 143 : null);
    expect(await lost).toBe('lost');
    const second = await listen(place);
    const given = post(second.url, reward);
    await writeFile(join(place.folder, 'gate'), '\n');
    expect(await given).toBe(paid);
    expect(place.payments()).toHaveLength(1);
    await second.stop();
  },
);

it('/metrics and /healthz are served, the first only where it is asked for', async () => {
  const place = await openPlace();
  const get = async (url: string, path: string) => {
    const reply = await fetch(new URL(path, url));
    return `${reply.status} ${await reply.text()}`;
  };
  const plain = await listen(place);
  expect(await get(plain.url, '/metrics')).toBe('404 {"message":"there is nothing here"}');
  expect(await get(plain.url, '/healthz')).toBe('200 {"message":"ok"}');
  await runInProcess('ledger freeze --reason suspicion', { env: place.env });
  expect(await get(plain.url, '/healthz')).toBe('503 {"message":"the ledger is frozen"}');
  await plain.stop();
  const measured = await listen(place, { flags: '-c metrics=true' });
  expect(await get(measured.url, '/metrics')).toContain('reviewctl_webhook_calls_total{status="200"} 0');
  await measured.stop();
});

it('a credential that is not accepted ends it with 4', async () => {
  const place = await openPlace();
  const env = { ...place.env, REVIEWCTL_TOKEN: btoa('key:wrong') };
  expectEnd(await runCli(place.line, { env }), 4, 'hint: ');
});

it('a service that is away is warned of, and is no reason not to listen', async () => {
  const place = await openPlace();
  const [reward] = await waiting(place);
  await place.served.close();
  const { url, said, stop } = await listen(place, { flags: '-c retries=0' });
  await said('warning: the service cannot be queried');
  expect(await post(url, reward)).toBe(
    '503 {"message":"not verified: the lookup at the service failed; not paid"}',
  );
  expectEnd(await stop(), 143);
  expect(place.payments()).toEqual([]);
});

it('each mistake at the start ends it at once, with what to do', async () => {
  const place = await openPlace();
  const secretFile = join(place.folder, 'path-secret');
  const start = async (line: string) => {
    const { exitCode, stdout, stderr } = await runInProcess(line, place);
    expect(stdout).toBe('');
    return `${exitCode} ${stderr}`;
  };
  const without = (flag: RegExp) => place.line.replace(flag, '');
  const taken = createServer();
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  expect(await start(`${place.line} -c port=${port}`)).toMatch(
    /^2 error: cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE.*\nhint: .* -c port=N.* -c host=HOST/,
  );
  expect(await start(without(/ --payer-command \S+/))).toMatch(/^2 error: no payer is configured/);
  expect(await start(without(/ -c path-secret-file=\S+/))).toMatch(
    /^2 error: the receiver needs a path secret[\s\S]*umask 077/,
  );
  expect(await start(without(/ -c allow-ip=\S+/))).toMatch(/^2 error: no caller is allowed[\s\S]*allow-ip/);
  expect(await start(`${place.line} -c trust-proxy=10.0.0.0/33`)).toMatch(
    /^2 error: -c trust-proxy: '10\.0\.0\.0\/33' is not an IP address or network/,
  );
  expect(await start(`${place.line} -c ledger=${join(place.folder, 'none.db')}`)).toMatch(/^12 error: /);
  chmodSync(secretFile, 0o644);
  expect(await start(place.line)).toMatch(/^2 error: .*path-secret[\s\S]*chmod/);
  chmodSync(secretFile, 0o600);
  writeFileSync(secretFile, 'short\n');
  expect(await start(place.line)).toMatch(/^2 error: the path secret of .* must have at least 16/);
});

it('a disk that runs full ends it with 2, and the next receiver pays nothing again', async () => {
  const place = await openPlace(payNow, 40);
  const full = await listen(place, { prelude: "trap '' XFSZ; ulimit -f 128;" });
  const rewards = await waiting(place);
  const given: string[] = [];
  for (const reward of rewards) {
    const answer = await post(full.url, reward).catch(() => 'gone');
    given.push(answer);
    if (answer !== paid) break;
  }
  expect(given).toContain('503 {"message":"an internal error; its outcome will be reported"}');
  expectEnd(
    await full.ended,
    2,
    /error: the ledger .* cannot be used: .*\nhint: check that its disk has free space/,
  );
  const next = await listen(place);
  const again = await Promise.all(rewards.map((reward) => post(next.url, reward)));
  expect(new Set(again)).toEqual(new Set([paid]));
  expect(place.payments()).toHaveLength(rewards.length);
  await next.stop();
});

it('systemd is notified once calls are answered and again when the receiver stops, without its secrets', async () => {
  const place = await openPlace();
  const bin = join(place.folder, 'bin');
  mkdirSync(bin);
  const log = join(place.folder, 'notified');
  const lines = [
    `echo "$1 $NOTIFY_SOCKET \${REVIEWCTL_TOKEN-none}" >> ${log}`,
    'case $1 in STOPPING*) echo no >&2; exit 1; esac',
  ];
  writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
  const env = { ...place.env, PATH: `${bin}:${place.env['PATH']}`, NOTIFY_SOCKET: '/run/systemd/notify' };
  const { stop } = await listen({ ...place, env });
  const { exitCode, stderr } = await stop();
  expect(readFileSync(log, 'utf8')).toBe(
    '--ready /run/systemd/notify none\nSTOPPING=1 /run/systemd/notify none\n',
  );
  expect(exitCode).toBe(143);
  expect(stderr).toContain(
    'warning: systemd was not notified (STOPPING=1): Command failed: systemd-notify STOPPING=1: no\n' +
      'hint: the unit needs Type=notify, NotifyAccess=all and the program systemd-notify\n',
  );
});
