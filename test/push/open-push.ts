import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { chunk, streamOf } from '../../src/base/lists.ts';
import { seededRandom } from '../../src/base/random.ts';
import { createApi } from '../../src/client/caller.ts';
import { wrap } from '../../src/client/open-service.ts';
import { type Assumptions, defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { Transport, WireRequest } from '../../src/contract/wire.ts';
import type {
  CategoryRecord,
  Entry,
  OrderItemRecord,
  OrderItemUpdateRecord,
  ProductRecord,
} from '../../src/input/records/record-kinds.ts';
import { type CompiledItem, orderItemCompiler } from '../../src/push/compile/order-items.ts';
import type { Resend } from '../../src/push/decide/decide.ts';
import { categoriesFlow } from '../../src/push/flows/categories.ts';
import { orderItemsFlow } from '../../src/push/flows/order-items.ts';
import { ordersFlow } from '../../src/push/flows/orders.ts';
import { productsFlow } from '../../src/push/flows/products.ts';
import type { Placed, PlanLine } from '../../src/push/plan/plan-line.ts';
import { type FlowOptions, runFlow } from '../../src/push/plan/run-flow.ts';
import { type PushOutcome, type ShownOutcome, shownOutcome } from '../../src/push/steps/outcome.ts';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { openJournal } from '../../src/store/journal/open-journal.ts';
import type { PushJournal } from '../../src/store/journal/push-journal.ts';
import { noUndoLog, type UndoLog } from '../../src/store/runs/undo-log.ts';
import { transportOf } from '../sandbox/in-process.ts';
import { RacingClock } from './racing-clock.ts';

export interface PushOptions extends SandboxOptions {
  /** Wraps the transport between client and sandbox, for habits of services that the sandbox does not have. */
  readonly around?: (transport: Transport) => Transport;
  readonly retries?: number;
}

interface RunOptions extends WorkOptions {
  readonly resend?: Resend;
  readonly batchSize?: number;
  readonly concurrency?: number;
  /** Replaces the open journal. */
  readonly journal?: PushJournal;
  readonly undoLog?: UndoLog;
}

/** All records at once, or a stream of batches. */
type Input<T> = readonly Entry<T>[] | AsyncIterable<readonly Entry<T>[]>;

/** The result of a push: its outcomes so far, and the error that stopped it, if any. */
export interface Pushed {
  readonly outcomes: readonly ShownOutcome[];
  readonly error?: unknown;
}

export type OpenPush = Awaited<ReturnType<typeof openPush>>;

/** A sandbox in process behind the real client, with a journal file that is removed after the test. */
export async function openPush({
  around = (transport) => transport,
  retries = 4,
  ...sandboxOptions
}: PushOptions = {}) {
  const clock = new RacingClock();
  const random = seededRandom(sandboxOptions.seed ?? 1);
  const sandbox = await createSandbox({ clock, ...sandboxOptions });
  /** Every request to the service in order, including retries. */
  const requests: WireRequest[] = [];
  const service = around(transportOf(sandbox));
  const recorded: Transport = (request, signal) => {
    requests.push(request);
    return service(request, signal);
  };
  const assumptions = { ...defaultAssumptions, ...sandboxOptions.assumptions };
  const { transport } = wrap(recorded, { token: sandbox.token, assumptions, retries, clock, random });
  const api = createApi({ transport, assumptions });
  const journalPath = join(temporaryFolder(), 'pushes.db');
  const journal = await openJournal({ kind: 'sqlite', path: journalPath });
  onTestFinished(() => journal.close());
  const pushed = ({ stopping = never, ...options }: RunOptions) => ({
    api,
    journal,
    undoLog: noUndoLog,
    batchSize: 100,
    concurrency: 4,
    resend: undefined,
    stopping,
    ...options,
  });
  return {
    sandbox,
    clock,
    api,
    journal,
    journalPath,
    requests,
    products: (input: Input<ProductRecord>, options: RunOptions = {}) => {
      const rules = { onExisting: 'update', isUpdateOnly: false, makesGroups: true } as const;
      const flow = productsFlow({ clock, ...rules, ...pushed(options) });
      return collect(runFlow(flow, workOf(batchesOf(input), options)));
    },
    orders: (input: Input<OrderItemRecord>, options: RunOptions = {}) => {
      const batches = compiledItems(batchesOf(input), assumptions);
      return collect(runFlow(ordersFlow(pushed(options)), workOf(batches, options)));
    },
    orderItems: (input: Input<OrderItemUpdateRecord>, options: RunOptions = {}) => {
      const flow = orderItemsFlow(pushed(options));
      return collect(runFlow(flow, workOf(batchesOf(input), options)));
    },
    categories: (input: Input<CategoryRecord>, options: RunOptions = {}) =>
      collect(runFlow(categoriesFlow(pushed(options)), workOf(batchesOf(input), options))),
  };
}

interface WorkOptions {
  readonly isDryRun?: boolean;
  readonly stopping?: AbortSignal;
  readonly limit?: number;
  /** Receives each decided record as a line of a plan. */
  readonly plan?: string[];
  /** Lines of a plan to send instead of the input. */
  readonly planned?: readonly string[];
}

function workOf<R extends Placed>(
  batches: AsyncIterable<readonly R[]>,
  { isDryRun = false, stopping = never, limit, plan, planned }: WorkOptions,
): FlowOptions<R> {
  const lines = planned?.map((line): PlanLine<R> => JSON.parse(line));
  return {
    source:
      lines === undefined ? { kind: 'input', batches } : { kind: 'plan', lines: () => streamOf([lines]) },
    isDryRun: isDryRun || plan !== undefined,
    limit,
    note: plan && ((line) => plan.push(JSON.stringify(line))),
    stopping,
  };
}

const never = new AbortController().signal;

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Records as from one file, the first on line 2. */
export function entriesOf<T>(records: readonly T[]): Entry<T>[] {
  return records.map((record, index) => ({ file: 'input.csv', line: index + 2, record }));
}

/** Batches of 500, like the input's. */
function batchesOf<T>(input: Input<T>): AsyncIterable<readonly Entry<T>[]> {
  return Array.isArray(input) ? streamOf(chunk(input, 500)) : (input as AsyncIterable<readonly Entry<T>[]>);
}

/** Compiled order items, from one file per batch. */
export async function* compiledItems(
  batches: AsyncIterable<readonly Entry<OrderItemRecord>[]>,
  assumptions: Assumptions = defaultAssumptions,
): AsyncGenerator<readonly CompiledItem[]> {
  const compiler = orderItemCompiler(assumptions);
  for await (const entries of batches) {
    const file = entries[0]?.file ?? '';
    const lines = entries.map(({ line }) => line);
    yield compiler.recordsOf({ file, lines, columns: compiler.columnsOf(entries) });
  }
}

export async function collect(batches: AsyncIterable<readonly PushOutcome[]>): Promise<Pushed> {
  const outcomes: ShownOutcome[] = [];
  try {
    for await (const batch of batches) outcomes.push(...batch.map((one) => shownOutcome(one, String)));
  } catch (error) {
    return { outcomes, error };
  }
  return { outcomes };
}

/** Number of outcomes by word. */
export function countedWords(outcomes: readonly PushOutcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Outcome words by originId. */
export function wordsOf(outcomes: readonly PushOutcome[]): Record<string, string> {
  return Object.fromEntries(outcomes.map(({ originId, outcome }) => [originId, outcome]));
}

/** The operations of writing requests, in order. */
export function writesOf({ requests }: OpenPush): string[] {
  return requests.filter(({ method }) => method !== 'GET').map(({ operation }) => operation);
}

/** Order items I1, I2, … in orders of three items each, all of product P1. */
export function orderItems(count: number): OrderItemRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    orderOriginId: `O${Math.floor(index / 3) + 1}`,
    originId: `I${index + 1}`,
    productOriginId: 'P1',
  }));
}

/** Adds product P1 to the sandbox, which order items need. */
export function addProduct({ sandbox }: OpenPush): void {
  sandbox.transact(({ state }) =>
    state.products.put({
      id: state.nextId(),
      originId: 'P1',
      name: '니트',
      imageUrl: null,
      url: 'https://shop.example/P1',
      categories: [],
      groupId: null,
      brand: null,
      isAlimtalkEnabled: true,
      isReviewDisabled: false,
    }),
  );
}

/** Runs due jobs of the sandbox; returns the originIds of its records. */
export function heldIds({ sandbox }: OpenPush, name: 'products' | 'orderItems' | 'categories'): string[] {
  return sandbox.transact(({ state }) => [...state[name].values()].map(({ originId }) => originId));
}

export async function writeReview({ sandbox }: OpenPush, orderItemOriginId: string): Promise<void> {
  const reply = await transportOf(sandbox)({
    operation: 'writeReview',
    isRepeatable: false,
    method: 'POST',
    path: '/sandbox/reviews',
    headers: { 'content-type': 'application/json', authorization: `Basic ${sandbox.token}` },
    body: JSON.stringify({ orderItemOriginId }),
  });
  if (reply.status !== 200) throw new Error(`no review of ${orderItemOriginId}`);
}
