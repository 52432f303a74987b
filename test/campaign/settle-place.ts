import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import type { Ledger, LedgerEntry, LedgerEvent } from '../../src/store/ledger/ledger.ts';
import { openSqliteLedger } from '../../src/store/ledger/ledger-file.ts';
import { postgresLedgerLocation } from '../../src/store/ledger/ledger-location.ts';
import { openPostgresLedger } from '../../src/store/ledger/ledger-server.ts';
import { assumptionVariables } from '../assumption-variables.ts';
import { freePort } from '../client/free-port.ts';
import type { PostgresServer } from '../store/postgres-server.ts';
import { copyLedger } from './copy-ledger.ts';
import {
  appendLog,
  checkSettlement,
  dumpLedger,
  type Judgement,
  type LedgerFate,
  type LogLine,
  type LoneRun,
} from './settlement-logs.ts';

export interface SettlePlaceOptions extends SandboxOptions {
  readonly isIdempotent: boolean;
  /** Flags of every command that pays, besides the payer's. */
  readonly flags?: readonly string[];
  /** The program's settings for the service. */
  readonly client?: readonly string[];
  /** The server of the ledger; left out for a file. */
  readonly server?: PostgresServer | undefined;
  /** Options for creating the ledger, given the folder of the place; by default as it is used. */
  readonly init?: (folder: string) => StartOptions;
}

/** The program as a separate process. */
export interface Settler {
  readonly child: ChildProcess;
  /** Shifts its clock by this much from now on. */
  readonly setClock: (offsetMs: number) => void;
  /** Its stdout so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The exit code; null if it was killed. */
  readonly ended: Promise<number | null>;
}

export interface StartOptions {
  /** Variables besides those of the place; the payer sees those that begin with `PAYER_`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clockOffsetMs?: number;
  /** The program, with arguments, that runs it. */
  readonly under?: readonly string[];
  /** The file of the ledger, if it is not the one in use. */
  readonly ledgerPath?: string;
  /** The flags that name the ledger, if it is neither the file nor the server in use. */
  readonly ledgerFlags?: readonly string[];
}

/** A shop with a ledger, a service that logs its reports, and a payer that logs its payments. */
export interface SettlePlace {
  readonly folder: string;
  /** The file of the ledger in use. */
  ledgerPath(): string;
  /** The schema of the ledger at its server. */
  readonly schema: string;
  /** Makes all programs use this file from now on. */
  useLedger(path: string): void;
  readonly served: ServedSandbox;
  /** The environment of the program. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts `rewards settle`, `rewards listen` or another command with its payer. */
  start(words: readonly string[], options?: StartOptions): Settler;
  /** Starts a command that calls no payer. */
  startOffline(words: readonly string[], options?: StartOptions): Settler;
  startReceiver(options?: StartOptions): Promise<Settler>;
  /** The lines of the payer's log so far. */
  payments(): readonly JsonObject[];
  /** Adds payments made by a person to the payer's log. */
  pay(lines: readonly LogLine[]): void;
  /** All events of the ledger. Nobody may be using it, unless it is on a server. */
  events(ledgerPath?: string): Promise<readonly LedgerEvent[]>;
  /** Informs the checker of events lost with a restored backup, or left in a ledger that was moved. */
  noteFate(known: LedgerFate): void;
  /** Settles alone until nothing is left to do, at most three times by default; returns the exit codes. */
  settleAlone(options?: StartOptions & { readonly runsMost?: number }): Promise<readonly (number | null)[]>;
  /** The broken promises that the checker finds in the logs. */
  judge(judgement: Omit<Judgement, 'isIdempotent' | 'hasEvidence'>): Promise<readonly string[]>;
  /**
   * Resolves every unknown payment by the payer's books, as a person would, and gives up those that it never answers.
   * Waits until no call can pay any of them; returns their number.
   */
  resolveByBooks(poisoned?: readonly string[], options?: StartOptions): Promise<number>;
  close(): Promise<void>;
}

const program = resolve('bin', 'reviewctl.js');
const payer = resolve('fixtures', 'payers', 'logging-payer.mjs');
const clockHook = resolve('test', 'campaign', 'jumping-clock.cjs');
const payerVariables = [
  ...['LOG', 'IDEMPOTENT', 'FAULTS', 'SEED', 'DELAY_MS', 'LATE_MS', 'REFUSED', 'POISONED'],
].map((name) => `PAYER_${name}`);
const payerFlags = [
  ...['--payer-command', `"${process.execPath}" "${payer}"`, '-c', 'payer-timeout=4s'],
  ...payerVariables.flatMap((name) => ['-c', `payer-env=${name}`]),
];
const pathSecret = 'a-path-that-nobody-guesses';
/** Maximum undisturbed runs until everything that can be settled is settled. */
const loneRunsMaximum = 3;
const readyMs = 30_000;

export async function openSettlePlace(options: SettlePlaceOptions): Promise<SettlePlace> {
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-'));
  const logs = join(folder, 'logs');
  const { served, port } = await openService(logs, options);
  writeFileSync(join(folder, 'path-secret'), pathSecret, { mode: 0o600 });
  let ledgerPath = join(folder, 'ledger.db');
  const payerLog = join(logs, 'payer.ndjson');
  const environment = environmentOf(folder, served, { payerLog, ...options });
  const start = starter(folder, environment);
  const keyFlags = options.isIdempotent ? ['-c', 'payer-idempotent=24h'] : [];
  const flags = [...payerFlags, ...keyFlags, ...(options.flags ?? [])];
  const shared = options.server && sharedLedger(options.server, folder);
  const fileFlags = (more?: StartOptions) => ['-c', `ledger=${more?.ledgerPath ?? ledgerPath}`];
  const startOffline: SettlePlace['startOffline'] = (words, more) =>
    start([...words, ...(more?.ledgerFlags ?? shared?.flags ?? fileFlags(more))], more);
  const pay: SettlePlace['start'] = (words, more) => startOffline([...words, ...flags], more);
  await isDone(startOffline(['ledger', 'init', '-c', 'shop=shop'], options.init?.(folder)));
  served.sandbox.faults.rates = options.faults ?? {};
  const openLedger = shared?.open ?? (() => openSqliteLedger(ledgerPath, { clock: systemClock }));
  const loneRuns: LoneRun[] = [];
  const fate: LedgerFate = {};
  return {
    folder,
    ledgerPath: () => ledgerPath,
    schema: shared?.schema ?? '',
    useLedger: (path) => {
      ledgerPath = path;
    },
    served,
    environment,
    start: pay,
    startOffline,
    startReceiver: async (more) => {
      const secretFile = `path-secret-file=${join(folder, 'path-secret')}`;
      const settings = [`port=${port}`, 'allow-ip=127.0.0.1', 'retries=1', secretFile];
      const receiver = pay(['rewards', 'listen', ...settings.flatMap((setting) => ['-c', setting])], more);
      await isReady(receiver);
      return receiver;
    },
    payments: () => linesIn(payerLog),
    pay: (lines) => appendLog(logs, 'payer', lines),
    events: (path) =>
      path === undefined && shared !== undefined
        ? eventsOf(shared.open)
        : eventsIn(path ?? ledgerPath, join(folder, `read-${randomUUID()}.db`)),
    noteFate: (known) => {
      Object.assign(fate, known);
    },
    settleAlone: async ({ runsMost = loneRunsMaximum, ...more } = {}) => {
      const exitCodes: (number | null)[] = [];
      while (exitCodes.length < runsMost && exitCodes.at(-1) !== 0) {
        const settler = pay(['rewards', 'settle', '-o', 'none'], more);
        exitCodes.push(await settler.ended);
        const ledger = await openLedger();
        loneRuns.push({ exitCode: exitCodes.at(-1) ?? null, seq: await ledger.lastSeq() });
        await ledger.close();
      }
      return exitCodes;
    },
    judge: async (judgement) => {
      await dumpLedger(logs, openLedger, loneRuns, fate);
      return checkSettlement([logs], { ...judgement, isIdempotent: options.isIdempotent, hasEvidence: true });
    },
    resolveByBooks: async (poisoned = [], more = {}) => {
      const { ids, untilMs } = await unknownsIn(openLedger);
      await systemClock.sleep(Math.max(0, untilMs - systemClock.now()));
      const finding = findingByBooks(linesIn(payerLog), poisoned);
      for (const id of ids) {
        const words = ['ledger', 'resolve', id, ...finding(id), 'by the books', ...keyFlags, '--yes'];
        await isDone(startOffline(words, more));
      }
      return ids.length;
    },
    close: async () => {
      await served.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Serves a sandbox that announces rewards to a port, and logs the reports that it receives. */
async function openService(logs: string, options: SandboxOptions) {
  const port = await freePort();
  const served = await serveSandbox({
    port: 0,
    webhookUrl: `http://127.0.0.1:${port}/rewards/${pathSecret}`,
    ...options,
    faults: {},
  });
  mkdirSync(logs);
  for (const name of ['payer', 'service'] as const) appendLog(logs, name, []);
  writeDownService(served, logs);
  return { served, port };
}

let shops = 0;

/** A separate ledger on the server. */
function sharedLedger(server: PostgresServer, folder: string) {
  shops += 1;
  const schema = `reviewctl_shop${shops}`;
  const url = server.url(`&schema=${schema}`);
  const location = postgresLedgerLocation(folder, folder, { url, password: undefined, shop: 'shop' });
  return {
    schema,
    flags: ['-c', `state=${url}`],
    open: () => openPostgresLedger(location, { clock: systemClock }),
  };
}

function environmentOf(
  folder: string,
  { baseUrl, token }: ServedSandbox,
  { payerLog, isIdempotent, seed = 1, client = [] }: SettlePlaceOptions & { readonly payerLog: string },
): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    REVIEWCTL_BASE_URL: baseUrl,
    REVIEWCTL_TOKEN: token,
    REVIEWCTL_STATE_DIR: join(folder, 'state'),
    REVIEWCTL_LEDGER_ANYWHERE: 'true',
    REVIEWCTL_CONFIG_DIR: join(folder, 'config'),
    ...assumptionVariables(client),
    ...Object.fromEntries(payerVariables.map((name) => [name, ''])),
    PAYER_LOG: payerLog,
    PAYER_IDEMPOTENT: isIdempotent ? '1' : '',
    PAYER_SEED: `${seed}`,
    PAYER_LATE_MS: '300',
  };
}

/** A person's finding about a payment, and its evidence. */
function findingByBooks(books: readonly JsonObject[], poisoned: readonly string[]) {
  const paid = new Set(books.flatMap(({ what, reward }) => (what === 'EFFECT' ? [reward] : [])));
  return (id: string): readonly string[] => {
    if (paid.has(id)) return ['--paid', '--ref'];
    return [poisoned.includes(id) ? '--refused' : '--not-paid', '--reason'];
  };
}

/** @throws if the program failed, with its output. */
async function isDone({ ended, stderr }: Settler): Promise<void> {
  const exitCode = await ended;
  if (exitCode !== 0) throw new Error(`it ended with ${exitCode}: ${stderr()}`);
}

/** Reads a copy: this process keeps an opened file for a while, so that it could not be replaced. */
async function eventsIn(path: string, copy: string): Promise<readonly LedgerEvent[]> {
  copyLedger(path, copy);
  return eventsOf(() => openSqliteLedger(copy, { clock: systemClock }));
}

async function eventsOf(open: () => Promise<Ledger>): Promise<readonly LedgerEvent[]> {
  const ledger = await open();
  const events: LedgerEvent[] = [];
  for await (const page of ledger.events()) events.push(...page);
  await ledger.close();
  return events;
}

/** The unknown rewards in the ledger, and the time until which a call may still pay one of them. */
async function unknownsIn(openLedger: () => Promise<Ledger>) {
  const ledger = await openLedger();
  const entries: LedgerEntry[] = [];
  for await (const page of ledger.entries({ payment: ['unknown'] })) entries.push(...page);
  await ledger.close();
  return {
    ids: entries.map(({ rewardId }) => rewardId),
    untilMs: Math.max(0, ...entries.map(({ call }) => call?.leaseUntilMs ?? 0)),
  };
}

/** Starts the program in `folder`, with a separate clock per process. */
function starter(folder: string, environment: Readonly<Record<string, string>>) {
  let started = 0;
  return (
    args: readonly string[],
    { env = {}, clockOffsetMs = 0, under = [] }: StartOptions = {},
  ): Settler => {
    started += 1;
    const clockFile = join(folder, `clock-${started}`);
    const setClock = (offsetMs: number) => writeFileSync(clockFile, `${offsetMs}`);
    setClock(clockOffsetMs);
    const { NODE_OPTIONS = '', ...more } = env;
    const hooks = `--require=${clockHook} ${NODE_OPTIONS}`.trim();
    const [command = process.execPath, ...words] = [...under, process.execPath, program, ...args];
    const child = spawn(command, words, {
      cwd: folder,
      env: { ...environment, CLOCK_FILE: clockFile, ...more, NODE_OPTIONS: hooks },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
    const ended = once(child, 'close').then(([exitCode]): number | null => exitCode);
    return { child, setClock, stdout, stderr, ended };
  };
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

/** Resolves once the receiver accepts calls, or has ended. */
async function isReady({ child, stdout, stderr, ended }: Settler): Promise<void> {
  const ready = (async () => {
    while (stdout() === '') await once(child.stdout ?? child, 'data');
  })();
  const begun = new AbortController();
  const slow = systemClock.sleep(readyMs, begun.signal).then(() => {
    throw new Error(`the receiver did not begin: ${stderr()}`);
  });
  try {
    await Promise.race([ready, ended, slow]);
  } finally {
    begun.abort();
  }
}

/** Logs every update of a reward as received, every change of one, and every answer to a webhook. */
function writeDownService({ sandbox }: ServedSandbox, logs: string): void {
  const note = (line: { readonly what: string; readonly [name: string]: unknown }) =>
    appendLog(logs, 'service', [{ ...line, at: Date.now() }]);
  const answer = sandbox.answer.bind(sandbox);
  Object.assign(sandbox, {
    answer: (request: Parameters<typeof answer>[0]) => {
      const reward = /^\/admin\/v2\/reward\/([^/?]+)$/.exec(request.path)?.[1];
      if (request.method === 'PATCH' && reward !== undefined) {
        const { status } = JSON.parse(request.body ?? '{}') as JsonObject;
        note({ what: 'PATCH', reward, status });
      }
      return answer(request);
    },
  });
  const { rewards, hints } = sandbox.state;
  const [putReward, putHint] = [rewards.put.bind(rewards), hints.put.bind(hints)];
  Object.assign(rewards, {
    put: (record: Parameters<typeof putReward>[0]) => {
      note({ what: 'STATUS', reward: record.id, status: record.status, amount: record.amount });
      return putReward(record);
    },
  });
  Object.assign(hints, {
    put: (record: Parameters<typeof putHint>[0]) => {
      note({ what: 'ANSWER', reward: record.rewardId, status: record.status, message: record.message });
      return putHint(record);
    },
  });
}

function linesIn(path: string): JsonObject[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line): JsonObject => JSON.parse(line));
}
