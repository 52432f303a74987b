import { expect, test } from 'vitest';
import * as z from 'zod';
import { exitCodes } from '../../src/base/failure.ts';
import { printedRecords } from '../../src/cli/commands/printed-records.ts';
import { documentedOperations } from '../../src/contract/operations.ts';
import {
  differenceView,
  entryView,
  eventView,
  ledgerProblemView,
  ledgerStatusView,
  newLedgerView,
  resolvedView,
  rewardOutcomeView,
} from '../../src/output/views/reward-views.ts';
import { runView, storedJobView } from '../../src/output/views/run-views.ts';
import { openRejectView, outcomeView } from '../../src/output/views/views.ts';
import { ownCommands, serviceCommands } from './every-command.ts';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const env = cleanEnvironment(temporaryFolder());

/** Examples of schemas whose records no command of `every-command.ts` prints. */
const examples = {
  products: {
    originId: 'P-1',
    name: 'Cup',
    categories: [{ originId: 'C-1', isPrimary: true }],
    isReviewDisabled: false,
  },
  categories: { originId: 'C-1', name: 'Cups', position: 2 },
  orders: {
    orderOriginId: 'O-1',
    originId: 'I-1',
    productOriginId: 'P-1',
    buyer: { phone: '010-1234-5678' },
    alimtalkTemplateCode: null,
  },
  'order-items': {
    originId: 'I-1',
    status: 'DELIVERED',
    shipment: { deliveredAt: '2026-11-20T09:00:00+09:00' },
  },
  job: { jobId: '1', status: 'PENDING' },
  // A record whose job failed after the run.
  'open-reject': {
    file: null,
    line: null,
    originId: 'I-1',
    outcome: 'failed',
    run: '6hn4v2-x7kq',
    kind: 'orders',
  },
  'planned-payment': {
    rewardId: '1',
    amount: 500,
    memberOriginId: 'm1',
    order: { originId: 'O-1' },
    key: 'k1',
    attempt: 1,
  },
  'ledger-event': {
    seq: 1,
    at: '2026-11-20T09:00:00.000Z',
    kind: 'paid',
    payment: 'paid',
    report: 'pending',
    attempt: 1,
    by: 'run r1',
    detail: { ref: 'r1' },
  },
  'ledger-problem': { problem: 'event 7 does not fit event 6' },
  hint: {
    id: '1',
    time: '2026-11-20T09:00:00.000Z',
    rewardId: '1',
    status: 200,
    isPaid: true,
    message: null,
  },
  request: { method: 'PATCH', path: '/admin/v2/review/7', body: { isVisible: false } },
  error: {
    error: {
      code: 'input',
      message: 'not a number',
      exitCode: 3,
      retry: 'after-change',
      file: 'a.csv',
      line: 2,
    },
  },
};

test('every kind of record has a schema, and the list names them all', async () => {
  const { stdout } = await runInProcess('schema', { env });
  const printed = [serviceCommands, ownCommands].flatMap((table) =>
    Object.values(table).map(([name]) => name),
  );
  const names = new Set([...Object.keys(examples), ...printed]);
  expect(stdout.trimEnd().split('\n').toSorted()).toEqual([...names].toSorted());
});

test.each(Object.entries(examples))(
  'the schema of %s takes what it describes and refuses something else',
  async (name, example) => {
    const { stdout } = expectEnd(await runInProcess(`schema ${name}`, { env }), 0);
    const schema = z.fromJSONSchema(JSON.parse(stdout));
    expect(schema.safeParse(example).error).toBeUndefined();
    expect(schema.safeParse([example]).success).toBe(false);
    const [field = ''] = Object.keys(example);
    expect(schema.safeParse({ ...example, [field]: {} }).success).toBe(false);
  },
);

test.each([
  ['outcome', outcomeView('product').csvColumns],
  ['open-reject', openRejectView.csvColumns],
  ['run', runView.csvColumns],
  ['stored-job', storedJobView.csvColumns],
  ['reward-outcome', rewardOutcomeView.csvColumns],
  ['ledger-entry', entryView.csvColumns],
  ['ledger-event', eventView.csvColumns],
  ['ledger-resolution', resolvedView.csvColumns],
  ['ledger-status', ledgerStatusView.csvColumns],
  ['new-ledger', newLedgerView.csvColumns],
  ['ledger-difference', differenceView.csvColumns],
  ['ledger-problem', ledgerProblemView.csvColumns],
])('the schema of %s names every field that --fields knows, in its order', (name, columns) => {
  const fields = new Set(columns.map((path) => path.split('.')[0]));
  expect(Object.keys(printedRecords[name as keyof typeof printedRecords].shape)).toEqual([...fields]);
});

test('openapi describes its server by what every validator knows', async () => {
  const { stdout } = await runInProcess('schema openapi', { env });
  const [server] = JSON.parse(stdout).servers;
  expect(Object.keys(server.variables.baseUrl)).toEqual(['default']);
  expect(server.description).toContain('sandbox');
});

test('openapi describes every documented operation by its method and path', async () => {
  const { stdout } = await runInProcess('schema openapi', { env });
  const { paths }: { readonly paths: Record<string, Record<string, { operationId: string }>> } =
    JSON.parse(stdout);
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
  );
  const documented = Object.entries(documentedOperations).map(
    ([name, { method, path }]) => `${name} ${method.toLowerCase()} ${path}`,
  );
  expect(described.toSorted()).toEqual(documented.toSorted());
});

test('an unknown name is exit 2 with the names there are', async () => {
  expectEnd(await runInProcess('schema reviws', { env }), 2, 'did you mean review? schemas: products,');
});

test('error-codes lists every code of an error, with its exit code and whether to try again', async () => {
  const { stdout } = await runInProcess('schema error-codes', { env });
  const codes = JSON.parse(stdout) as readonly { code: string }[];
  expect(new Set(codes.map(({ code }) => code)).size).toBe(codes.length);
  expect(codes).toEqual(
    expect.arrayContaining([
      { code: 'unreachable', exitCode: 5, retry: 'same', meaning: exitCodes[5] },
      { code: 'not-found', exitCode: 6, retry: 'never', meaning: exitCodes[6] },
      { code: 'unknown-outcome', exitCode: 11, retry: 'person', meaning: exitCodes[11] },
      { code: 'missing-columns', exitCode: 3, retry: 'after-change', meaning: exitCodes[3] },
    ]),
  );
});

test('commands takes a noun and a verb, names what each prints, and only the settings that they read', async () => {
  const list = async (...words: readonly string[]) => {
    const { stdout } = await runInProcess(['schema commands', ...words], { env });
    return JSON.parse(stdout) as {
      commands: readonly { words: string; prints?: string }[];
      settings: readonly { name: string }[];
    };
  };
  const push = await list('orders', 'push');
  expect(push.commands).toMatchObject([{ words: 'orders push', prints: 'outcome' }]);
  expect((await list('runs')).commands.every(({ words }) => words.startsWith('runs '))).toBe(true);
  const whole = await list();
  expect(whole.settings.length).toBeGreaterThan(push.settings.length);
  expect(push.settings.map(({ name }) => name)).not.toContain('payer-command');
  expectEnd(await runInProcess('schema commands order', { env }), 2, "no command begins with 'order'");
  expectEnd(await runInProcess('schema review reward', { env }), 2, 'more than one name');
});
