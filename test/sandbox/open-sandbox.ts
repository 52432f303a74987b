import { onTestFinished } from 'vitest';
import type { Method } from '../../src/contract/wire.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { transportOf } from './in-process.ts';
import { ManualClock } from './manual-clock.ts';

/** A parsed body, which tests read at any depth. */
type Parsed = ReturnType<typeof JSON.parse>;

/** A reply with its body, as text and parsed. */
export interface SeenReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Parsed;
}

export interface OpenSandbox {
  readonly sandbox: Sandbox;
  readonly clock: ManualClock;
  readonly call: (method: Method, path: string, body?: unknown) => Promise<SeenReply>;
  /** Returns the body of the reply, which must be a success. */
  readonly ask: (method: Method, path: string, body?: unknown) => Promise<Parsed>;
  /** Creates a product; its name is by default its originId. */
  readonly product: (originId: string, fields?: object) => Promise<Parsed>;
  /** Requests items of this product in the order O; returns their jobs. */
  readonly items: (productOriginId: string, ...originIds: readonly string[]) => Promise<Parsed>;
  /** Fetches the current state of these jobs. */
  readonly jobsNow: (jobs: readonly { readonly jobId: string }[]) => Promise<Parsed>;
}

/** A sandbox in process, with a clock that only the test advances. */
export async function openSandbox(options: SandboxOptions = {}): Promise<OpenSandbox> {
  const clock = new ManualClock();
  const sandbox = await createSandbox({ clock, ...options });
  // A sandbox with a file is closed by its test, which reopens it.
  if (options.dataFile === undefined) onTestFinished(() => sandbox.close());
  const call = async (method: Method, path: string, body?: unknown): Promise<SeenReply> => {
    const reply = await transportOf(sandbox)(requestOf(sandbox.token, method, path, body));
    return { ...reply, text: reply.body, body: parsed(reply.body) };
  };
  const ask = async (method: Method, path: string, body?: unknown) => {
    const reply = await call(method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };
  return {
    sandbox,
    clock,
    call,
    ask,
    product: (originId, fields) => ask('POST', '/admin/v2/product', { originId, name: originId, ...fields }),
    items: (productOriginId, ...originIds) =>
      ask(
        'POST',
        '/admin/v2/order-items/bulk',
        originIds.map((originId) => ({ orderOriginId: 'O', originId, productOriginId })),
      ),
    jobsNow: (jobs) => Promise.all(jobs.map(({ jobId }) => ask('GET', `/admin/v2/job/${jobId}`))),
  };
}

export function requestOf(token: string, method: Method, path: string, body?: unknown) {
  return {
    operation: 'test',
    isRepeatable: false,
    method,
    path,
    headers: { authorization: `Basic ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

function parsed(text: string): Parsed {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
