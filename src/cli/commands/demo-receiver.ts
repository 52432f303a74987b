import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Failure } from '../../base/failure.ts';
import type { Program } from '../runtime/command.ts';
import type { Context } from '../runtime/context.ts';

/** The webhook receiver of the demo: its address, and a way to run it for a while. */
export interface DemoReceiver {
  /** The address that the service calls. */
  readonly webhookUrl: string;
  /** The command that starts it. */
  readonly command: readonly string[];
  /** Does `work` while the receiver runs, and lets it finish what it took. */
  during(program: Program, context: Context, work: () => Promise<void>): Promise<void>;
}

const pathSecret = 'demo-path-secret';
/** How often, and with which pauses in milliseconds, the receiver is asked whether it is ready. */
const readyChecks = 200;
const readyPauseMs = 25;
const readyTimeoutMs = 10_000;

export async function prepareReceiver(folder: string): Promise<DemoReceiver> {
  const port = await freePort();
  const secretFile = join(folder, 'path-secret');
  await writeFile(secretFile, pathSecret, { mode: 0o600 });
  const origin = `http://127.0.0.1:${port}`;
  const command = [
    'rewards',
    'listen',
    ...['-c', `port=${port}`, '-c', `path-secret-file=${secretFile}`, '-c', 'allow-ip=127.0.0.1'],
  ];
  return {
    webhookUrl: `${origin}/rewards/${pathSecret}`,
    command,
    during: async (program, context, work) => {
      const ended = new AbortController();
      const stopping = AbortSignal.any([context.stopping, ended.signal]);
      const running = program.run(command, { ...context, stopping });
      try {
        await isReady(new URL('/healthz', origin), context);
        await work();
      } finally {
        ended.abort();
        await running;
      }
    },
  };
}

/** @throws Failure('unreachable') where it does not come up. */
async function isReady(url: URL, { clock, stopping }: Context): Promise<void> {
  const { ping } = await import('../../client/ping.ts');
  for (let check = 1; check <= readyChecks; check += 1) {
    const trouble = await ping({ url, timeoutMs: readyTimeoutMs }, {}).catch(() => 'no answer');
    if (trouble === undefined) return;
    await clock.sleep(readyPauseMs, stopping);
  }
  throw new Failure('unreachable', 'the webhook receiver of the demo does not answer');
}

/** A port that is free at this moment. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
