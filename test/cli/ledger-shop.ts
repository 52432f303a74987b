import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { serveHttp } from '../client/loopback.ts';
import { temporaryFolder } from '../push/open-push.ts';
import type { CommandLine } from './run-cli.ts';
import { type CliOptions, type CliResult, environmentAt, expectEnd, runCli } from './run-cli.ts';
import { type ProgramOptions, runInProcess } from './run-program.ts';

/** A shop with rewards to pay, and a payer that records every call. */
export interface LedgerShop {
  readonly folder: string;
  readonly served: ServedSandbox;
  readonly ledgerPath: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs the program in this process. */
  readonly run: (line: CommandLine, options?: ProgramOptions) => Promise<CliResult>;
  /** Runs the built program in a new process. */
  readonly runBuilt: (line: CommandLine, options?: CliOptions) => Promise<CliResult>;
  /** The flag with the payer. */
  readonly payer: string;
  /** Settles with the payer, which ends each call with this exit code. */
  readonly settle: (exitCode?: number, ...more: readonly string[]) => Promise<CliResult>;
  /** The rewards for which the payer was called, in order. */
  readonly paid: () => readonly string[];
  readonly statuses: () => ReadonlyMap<string, string>;
  /** Ids of rewards of members, in list order. */
  readonly memberRewards: () => Promise<readonly string[]>;
  /** Writes a file to the folder of the shop; returns its path. */
  readonly write: (name: string, text: string) => string;
}

/** Uses shell built-ins only, because starting a program costs more than the rest of a payment. */
const payerLines = `#!/bin/sh
cd "\${0%/*}"
read -r call
printf '%s\\n' "$call" >> calls.ndjson
read -r code < exit-code
exit "$code"
`;

/** Opens a shop. `standBefore` starts a proxy before the sandbox at this address, and returns the proxy's address. */
export async function openLedgerShop(
  { reviews = 12, ...options }: SandboxOptions = {},
  standBefore = async (address: string) => address,
): Promise<LedgerShop> {
  const folder = temporaryFolder();
  const sandbox = await serveSandbox({
    port: 0,
    token: 'a-token',
    products: 5,
    orders: reviews + 5,
    reviews,
    ...options,
  });
  onTestFinished(() => sandbox.close());
  const served = { ...sandbox, baseUrl: await standBefore(sandbox.baseUrl) };
  const env = environmentAt(folder, served);
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  write('pay.sh', payerLines);
  chmodSync(join(folder, 'pay.sh'), 0o700);
  const run: LedgerShop['run'] = (argv, options) => runInProcess(argv, { env, cwd: folder, ...options });
  const runBuilt: LedgerShop['runBuilt'] = (argv, { env: more, ...options } = {}) =>
    runCli(argv, { env: { ...env, ...more }, cwd: folder, ...options });
  const payer = `--payer-command ${join(folder, 'pay.sh')}`;
  return {
    folder,
    env,
    served,
    ledgerPath: join(folder, 'state', 'default', new URL(served.baseUrl).host.replace(':', '_'), 'ledger.db'),
    run,
    runBuilt,
    write,
    payer,
    settle: (exitCode = 0, ...more) => {
      write('exit-code', String(exitCode));
      return run([`rewards settle ${payer}`, ...more]);
    },
    paid: () => {
      const path = join(folder, 'calls.ndjson');
      return existsSync(path) ? records(readFileSync(path, 'utf8')).map(({ id }) => String(id)) : [];
    },
    statuses: () =>
      served.sandbox.transact(
        ({ state }) => new Map([...state.rewards.values()].map(({ id, status }) => [id, status])),
      ),
    memberRewards: async () => {
      const { stdout } = await run('rewards list -o ndjson');
      return records(stdout)
        .filter(({ order }) => (order as { memberOriginId?: string } | undefined)?.memberOriginId)
        .map(({ id }) => String(id));
    },
  };
}

/** A shop with a ledger and no payments yet. */
export async function openPayingShop(...options: Parameters<typeof openLedgerShop>): Promise<LedgerShop> {
  const shop = await openLedgerShop(...options);
  expectEnd(await shop.run('ledger init'), 0);
  return shop;
}

/**
 * Makes a shop run every command in a new process, for tests that copy its files. A process that lives on keeps the
 * ledger's WAL beside it for a while.
 */
export function asProcesses(shop: LedgerShop): LedgerShop {
  const { runBuilt, write, payer } = shop;
  return {
    ...shop,
    run: (argv, options) => runBuilt(argv, options),
    settle: (exitCode = 0, ...more) => {
      write('exit-code', String(exitCode));
      return runBuilt([`rewards settle ${payer}`, ...more]);
    },
  };
}

/** Serves reads of the service at `address` from another address, which is returned. `edit` changes each reply. */
export async function relay(
  address: string,
  edit: (text: string, path: string) => string | Promise<string>,
  answerWrite?: RequestListener,
): Promise<string> {
  const { url } = await serveHttp((incoming, outgoing) => {
    const { method, url: path = '', headers } = incoming;
    if (method !== 'GET') return answerWrite?.(incoming, outgoing);
    const { authorization = '' } = headers;
    void fetch(new URL(path, address), { headers: { authorization } })
      .then(async (reply) => edit(await reply.text(), path))
      .then((text) => outgoing.setHeader('content-type', 'application/json').end(text));
  });
  return url;
}

/** For `relay`: runs `next.work` once, before a reply. */
export function runBeforeReply(next: { work?: (() => Promise<unknown>) | undefined }) {
  return async (text: string) => {
    const { work } = next;
    next.work = undefined;
    await work?.();
    return text;
  };
}

/** Parses records printed as NDJSON. */
export function records(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** A real clock that never sleeps. */
export const manualClock = { ...systemClock, sleep: async () => undefined };
