import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { deadAddress, serveHttp } from '../client/loopback.ts';
import { temporaryFolder } from '../push/open-push.ts';
import type { CommandLine } from './run-cli.ts';
import { cleanEnvironment, programPath, runCli, typedWords } from './run-cli.ts';

/** Secrets that must not appear anywhere; no part of one appears elsewhere. */
const canaries = {
  token: 'tkn-Zq81LmXw5vKc',
  header: 'hdr-Vb27RsYp9gJd',
  payerVariable: 'env-Nf64TuHa3eQo',
  pathSecret: 'pth-Wi50CkDz8xMr',
  ping: 'png-Gs13EyBl6jUv',
} as const;

/** The forms of a secret: plain, inside a Basic credential, in an address. */
const writings = Object.values(canaries).flatMap((secret) => [
  secret,
  secret.slice(4),
  Buffer.from(secret).toString('base64').slice(0, 12),
  encodeURIComponent(secret),
]);

const leaksIn = (text: string) => writings.filter((secret) => text.includes(secret));

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** A payer that leaks: it saves its arguments and environment, and repeats its secret in every message. */
const gossip = `#!/bin/sh
cd "$(dirname "$0")"
tr '\\0' '\\n' < /proc/$$/cmdline >> seen/argv
tr '\\0' '\\n' < /proc/$PPID/cmdline >> seen/argv
env >> seen/env
cat >> seen/stdin
echo "my key is $POINTS_KEY" >&2
[ "$(cat how)" = refuse ] && echo "{\\"outcome\\":\\"refused\\",\\"message\\":\\"bad key $POINTS_KEY\\"}" && exit 10
exit "$(cat how)"
`;

async function openPlace() {
  const folder = temporaryFolder();
  const served = await serveSandbox({ port: 0, token: canaries.token, products: 5, orders: 40, reviews: 12 });
  onTestFinished(() => served.close());
  const write = (name: string, text: string, mode = 0o600) =>
    writeFileSync(join(folder, name), text, { mode });
  mkdirSync(join(folder, 'seen'));
  write('pay.sh', gossip, 0o700);
  write('headers', `Authorization: Bearer ${canaries.header}\n`);
  write('path-secret', canaries.pathSecret);
  const env = {
    ...cleanEnvironment(folder),
    REVIEWCTL_BASE_URL: served.baseUrl,
    REVIEWCTL_TOKEN: canaries.token,
    POINTS_KEY: canaries.payerVariable,
  };
  const shown: string[] = [];
  const run = async (argv: CommandLine, more: Readonly<Record<string, string>> = {}) => {
    const { exitCode, stdout, stderr } = await runCli(argv, { env: { ...env, ...more }, cwd: folder });
    shown.push(stdout, stderr);
    return exitCode;
  };
  const payer = `--payer-command ${join(folder, 'pay.sh')} -c payer-env=POINTS_KEY`;
  return { folder, env, write, run, shown, payer };
}

type Place = Awaited<ReturnType<typeof openPlace>>;

/** A service that repeats the request in every part of its reply. */
async function serveEcho(status: number) {
  const { url } = await serveHttp((incoming, outgoing) => {
    const heard = JSON.stringify([incoming.url, incoming.headers]);
    outgoing.writeHead(status, { 'x-heard': encodeURIComponent(heard) });
    outgoing.end(JSON.stringify({ detail: heard, message: heard, outcome: 'refused' }));
  });
  return url;
}

/** Settles with a program that pays, refuses, fails and postpones, and with a service that echoes everything. */
async function settleAll({ write, run, payer, folder }: Place): Promise<readonly (number | null)[]> {
  const settle = 'rewards settle --debug -c concurrency=1 --max-count 1';
  const exitCodes = [await run(`${settle} ${payer} --dry-run`)];
  for (const [how, format] of [
    ['3', 'text'],
    ['refuse', 'json'],
    ['75', 'json'],
    ['0', 'text'],
  ] as const) {
    write('how', how);
    exitCodes.push(await run(`${settle} ${payer} -c log-format=${format}`));
  }
  for (const status of [401, 400, 500, 422, 200]) {
    const url = `${await serveEcho(status)}/pay?key=${canaries.header}`;
    const http = `--payer-url ${url} -c payer-header-file=${join(folder, 'headers')}`;
    exitCodes.push(await run(`${settle} ${http}`));
  }
  return exitCodes;
}

/** Listens, receives calls with the secret path and with wrong ones, and stops. */
async function listen({ folder, env, payer, shown }: Place): Promise<void> {
  const flags = `-c port=0 -c path-secret-file=${join(folder, 'path-secret')} -c allow-ip=127.0.0.1`;
  const words = typedWords(`rewards listen --debug -c metrics=true ${flags} ${payer}`);
  const child = spawn(process.execPath, [programPath, ...words], { env, stdio: 'pipe' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  child.stderr.on('data', (text) => shown.push(String(text)));
  const [line] = await once(createInterface(child.stdout), 'line');
  shown.push(line);
  const { origin } = new URL(JSON.parse(line).url);
  for (const path of [`/rewards/${canaries.pathSecret}`, `/rewards/${canaries.pathSecret}x`, '/metrics']) {
    const body = JSON.stringify({ id: '4711', amount: 1, status: 'QUEUED' });
    const reply = await fetch(origin + path, path === '/metrics' ? {} : { method: 'POST', body });
    shown.push(await reply.text());
  }
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
}

it('no secret of service, payer, webhook or monitor is shown, told, passed on or kept', async () => {
  const place = await openPlace();
  const { folder, run, shown, payer, write } = place;
  expect(await run('ledger init')).toBe(0);
  expect(await settleAll(place)).toEqual([0, 11, 11, 11, 11, 11, 11, 11, 11, 11]);
  await listen(place);
  write('how', '0');
  const ping = `${await serveEcho(500)}/${canaries.ping}`;
  await run(`rewards settle --debug -c ping=${ping} ${payer}`);
  await run(`rewards settle --debug -c 'ping=${await deadAddress()}/${canaries.ping}' ${payer}`);
  await run(`rewards settle --debug ${payer}`, { REVIEWCTL_BASE_URL: await serveEcho(401) });
  await run(`rewards settle --debug -c ping=${canaries.ping} ${payer}`);
  await run(`payer check --yes ${payer} --member M1 --amount 1 --debug`);
  for (const command of ['status', 'list', 'verify', 'show 1']) await run(['ledger', ...command.split(' ')]);
  await run(['ledger backup', join(folder, 'backup.db')]);
  await run(['rewards export', join(folder, 'batch.csv'), '--debug']);
  await run('config list', {
    REVIEWCTL_PING: ping,
    REVIEWCTL_PAYER_URL: `https://points.example/pay?key=${canaries.header}`,
    REVIEWCTL_PAYER_COMMAND: `${join(folder, 'pay.sh')} ${canaries.payerVariable}`,
  });
  await run('doctor --debug');
  expect(shown.flatMap(leaksIn)).toEqual([]);
  expect(shown.join('').length).toBeGreaterThan(10_000);

  const given = new Set(['headers', 'path-secret']);
  const kept = filesBelow(folder)
    .map((path) => ({ path: path.slice(folder.length + 1), leaks: leaksIn(readFileSync(path, 'latin1')) }))
    .filter(({ path, leaks }) => leaks.length > 0 && !given.has(path));
  // The program keeps the payer's raw output as evidence of payments in doubt, readable by this user only.
  const isEvidence = (path: string) => /ledger\.db\.evidence\/rv1-\w+\/1\.err$/.test(path);
  const others = kept.filter(({ path }) => path !== 'seen/env' && !isEvidence(path));
  expect(others).toEqual([]);
  const evidence = kept.filter(({ path }) => isEvidence(path));
  expect(evidence.length).toBeGreaterThan(0);
  for (const { path, leaks } of evidence) {
    expect(statSync(join(folder, path)).mode & 0o077).toBe(0);
    expect(leaks).toEqual(leaksIn(canaries.payerVariable));
  }
});

it('the program that pays sees the usual variables, those named for it, and the key: nothing of ours', async () => {
  const { folder, run, payer, write } = await openPlace();
  await run('ledger init');
  write('how', '0');
  await run(`rewards settle ${payer} --max-count 1`);
  const seen = readFileSync(join(folder, 'seen/env'), 'utf8').trimEnd().split('\n');
  const ofEveryShell = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);
  const names = seen.map((line) => line.replace(/=.*/, '')).filter((name) => !ofEveryShell.has(name));
  expect(names.toSorted()).toEqual(['HOME', 'PATH', 'POINTS_KEY', 'REVIEWCTL_PAYMENT_KEY']);
  expect(leaksIn(readFileSync(join(folder, 'seen/argv'), 'utf8'))).toEqual([]);
});
