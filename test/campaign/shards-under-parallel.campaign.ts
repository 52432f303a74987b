import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import {
  type CliResult,
  cleanEnvironment,
  programPath,
  runCli,
  runCommand,
  temporaryFolder,
} from '../cli/run-cli.ts';
import { type SeenRequest, serveHttp } from '../client/loopback.ts';
import { findPostgres, makePostgres, sayThatPostgresIsMissing } from '../store/postgres-server.ts';
import { addFigures } from './figures.ts';

/*
 * Eight shards of one file, each a process started by GNU parallel. Two are killed midway: one before its request
 * arrives, one after its request arrived without an answer. They are restarted, like fixtures/scale/parallel.sh, until
 * a person has resolved the unknown records. With the state in PostgreSQL, one of them restarts on another machine,
 * which is another state folder.
 */

const shards = 8;
const orders = 2000;
const itemsOfOrder = 2;
/** The shards killed at their third request: before it arrives, and after. */
const killed = new Map([
  ['3', 'before'],
  ['6', 'after'],
]);

const hasParallel = spawnSync('parallel', ['--version']).status === 0;
if (!hasParallel) console.info('GNU parallel is not installed: the test starts the shards itself');

/** A file, a service, and the machines that push the file. */
interface Place {
  readonly folder: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly proxy: Awaited<ReturnType<typeof startProxy>>;
}

/** `state` names the place of the state. */
async function makePlace(state: Readonly<Record<string, string>>): Promise<Place> {
  const folder = temporaryFolder();
  const script = join(folder, 'shard.sh');
  const sandbox = await serveSandbox({ port: 0 });
  const proxy = await startProxy(new URL(sandbox.baseUrl), folder);
  onTestFinished(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true });
  });
  const env = {
    ...cleanEnvironment(folder),
    REVIEWCTL_BASE_URL: proxy.url,
    REVIEWCTL_TOKEN: sandbox.token,
    // The proxy identifies a shard by its trace, and reads the pid here.
    PIDS: join(folder, 'pids'),
    ...state,
  };
  mkdirSync(join(folder, 'pids'));
  const rows = Array.from({ length: orders * itemsOfOrder }, (_, at) => {
    const order = `20261101-${String(Math.floor(at / itemsOfOrder)).padStart(7, '0')}`;
    return `${order},${order}-${(at % itemsOfOrder) + 1},P${at % 50}`;
  });
  const header = 'orderOriginId,originId,productOriginId';
  writeFileSync(join(folder, 'orders.csv'), [header, ...rows, ''].join('\n'));
  writeFileSync(
    script,
    `#!/bin/sh
[ ! -f "$PIDS/$1" ] || [ -z "$IS_MOVED" ] || export REVIEWCTL_STATE_DIR="${folder}/other-machine"
echo $$ > "$PIDS/$1"
export TRACEPARENT="00-$(printf '%032d' "$1")-0000000000000001-01"
exec "${process.execPath}" "${programPath}" orders push orders.csv --shard "$1/${shards}" \\
  -c batch-size=20 -c concurrency=2 -o none -c progress=none
`,
  );
  chmodSync(script, 0o700);
  return { folder, script, env, proxy };
}

/** A proxy before the sandbox that kills the senders of some requests. */
async function startProxy(target: URL, folder: string) {
  /** Number of times the service accepted each item. */
  const taken = new Map<string, number>();
  /** The killed shards. */
  const kills: string[] = [];
  const writesOf = new Map<string, number>();

  /** Kills the shard's process and closes its connection. */
  function kill(shard: string, outgoing: ServerResponse): void {
    kills.push(shard);
    process.kill(Number(readFileSync(join(folder, 'pids', shard), 'utf8')), 'SIGKILL');
    outgoing.destroy();
  }

  async function forward(
    { method = '', url = '', headers: received, body }: SeenRequest,
    outgoing: ServerResponse,
  ): Promise<void> {
    const shard = String(Number(String(received['traceparent']).split('-')[1]));
    const isWrite = method === 'POST';
    const writes = (writesOf.get(shard) ?? 0) + Number(isWrite);
    writesOf.set(shard, writes);
    const when = isWrite && writes === 3 && !kills.includes(shard) ? killed.get(shard) : undefined;
    if (when === 'before') {
      kill(shard, outgoing);
      return;
    }
    const { host: _host, connection: _connection, ...headers } = received;
    const answer = await fetch(new URL(url, target), {
      method,
      headers: headers as Record<string, string>,
      ...(body === '' ? {} : { body }),
    });
    const text = await answer.text();
    if (isWrite && answer.ok) for (const id of idsIn(body)) taken.set(id, (taken.get(id) ?? 0) + 1);
    if (when === 'after') kill(shard, outgoing);
    else
      outgoing
        .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        .end(text);
  }

  const { url } = await serveHttp((_, outgoing, request) => {
    forward(request, outgoing).catch(() => outgoing.destroy());
  });
  return { url, taken, kills };
}

function idsIn(body: string): readonly string[] {
  return [...body.matchAll(/"originId":"(20261101-\d+-\d)"/g)].map(([, id = '']) => id);
}

/** Starts the shards that have not ended with 0; returns the exit code of each. */
async function startShards(place: Place): Promise<Readonly<Record<string, number>>> {
  const { folder, script, env } = place;
  const joblog = join(folder, 'orders.joblog');
  if (hasParallel) {
    const before = endsIn(joblog).length;
    const words = ['--jobs', '4', '--joblog', joblog, '--resume-failed', script, '{}', ':::'];
    const numbers = Array.from({ length: shards }, (_, at) => `${at + 1}`);
    await runCommand('parallel', [...words, ...numbers], { env, cwd: folder });
    return Object.fromEntries(endsIn(joblog).slice(before));
  }
  const ended = new Set(endsIn(joblog).flatMap(([shard, code]) => (code === 0 ? shard : [])));
  const codes: Record<string, number> = {};
  const lines: string[] = [];
  const start = async (shard: string) => {
    codes[shard] = await exitCodeOf(place, shard);
    lines.push(`${shard}\t-\t-\t-\t-\t-\t${codes[shard]}\t0\t${script} ${shard}\n`);
  };
  const open = Array.from({ length: shards }, (_, at) => `${at + 1}`).filter((shard) => !ended.has(shard));
  for (let at = 0; at < open.length; at += 4) await Promise.all(open.slice(at, at + 4).map(start));
  writeFileSync(joblog, lines.join(''), { flag: 'a' });
  return codes;
}

function exitCodeOf({ folder, script, env }: Place, shard: string): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(script, [shard], { env, cwd: folder, stdio: 'ignore' });
    child.once('close', (code) => resolve(code ?? -1));
  });
}

/** The shards in the log of GNU parallel with their exit codes; -1 for a signal. */
function endsIn(joblog: string): readonly (readonly [shard: string, code: number])[] {
  const lines = spawnSync('cat', [joblog], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => /^\d/.test(line));
  return lines.map((line) => {
    const { 6: code, 7: signal, 8: command = '' } = line.split('\t');
    return [command.split(' ').at(-1) ?? '', signal === '0' ? Number(code) : -1];
  });
}

/** Sends everything, and describes the result. */
async function sendAll(place: Place): Promise<string> {
  const { proxy, env, folder } = place;
  const cli = (...words: string[]): Promise<CliResult> => runCli(words, { env, cwd: folder });
  const first = await startShards(place);
  expect(Object.keys(first)).toHaveLength(shards);
  expect(proxy.kills.toSorted()).toEqual([...killed.keys()]);
  for (const [shard, code] of Object.entries(first)) expect(code === 0).toBe(!killed.has(shard));
  expect((await cli('runs', 'show', 'last')).exitCode).toBe(6);

  // Requests in progress are now unknown, and none of them is sent again.
  const second = await startShards(place);
  expect(Object.keys(second).toSorted()).toEqual([...killed.keys()]);
  expect(Object.values(second)).toEqual([11, 11]);
  expect((await cli('runs', 'show', 'last')).exitCode).toBe(11);

  // A person looks at the service and resolves them.
  const runs = (await cli('runs', 'list', '-o', 'ids')).stdout.split('\n').filter(Boolean);
  const unknown: { readonly originId: string; readonly run: string }[] = [];
  for (const run of runs) {
    const ids = (await cli('runs', 'rejects', run, '--unknown', '-o', 'ids')).stdout.split('\n');
    unknown.push(...ids.filter(Boolean).map((originId) => ({ originId, run })));
  }
  for (const run of new Set(unknown.map((record) => record.run))) {
    const ids = unknown.flatMap((record) => (record.run === run ? record.originId : []));
    for (const isTaken of [true, false]) {
      const found = ids.filter((id) => proxy.taken.has(id) === isTaken);
      if (found.length === 0) continue;
      const resolved = await cli(
        'runs',
        'resolve',
        run,
        isTaken ? '--sent' : '--not-sent',
        '--yes',
        ...found,
      );
      expect(resolved.exitCode).toBe(0);
    }
  }
  expect(await startShards(place)).toEqual({ 3: 0, 6: 0 });

  addFigures('push', { kills: proxy.kills.length });
  const whole = await cli('runs', 'show', 'last');
  expect(whole.exitCode).toBe(0);
  expect(whole.stderr).toContain(`${(orders * itemsOfOrder).toLocaleString('en')} records: `);
  expect(whole.stderr).toContain('each has exactly one outcome');
  expect(proxy.taken.size).toBe(orders * itemsOfOrder);
  expect(new Set(proxy.taken.values())).toEqual(new Set([1]));
  return (
    `${shards} shards, ${proxy.kills.length} killed, ${unknown.length} unknown records settled; ` +
    `${proxy.taken.size} records, each sent once`
  );
}

test('eight shards under GNU parallel, two of them killed and started again, send each record exactly once', async () => {
  console.info(await sendAll(await makePlace({})));
});

const bin = findPostgres();

if (bin === undefined)
  test('without a server, it is said that no shard moved to another machine', () =>
    sayThatPostgresIsMissing('shards'));
else {
  test('with the state in PostgreSQL, the killed ones are started again on another machine, and each record is sent exactly once', async () => {
    const server = await makePostgres(bin);
    onTestFinished(() => server.remove());
    const state = { REVIEWCTL_STATE: server.url(), REVIEWCTL_SHOP: 'mall', IS_MOVED: 'true' };
    console.info(`${await sendAll(await makePlace(state))}; two shards moved to another machine`);
  });
}
