import { expect, onTestFinished, test } from 'vitest';
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
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { cleanEnvironment, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const env = cleanEnvironment(temporaryFolder());

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
  product: { id: '1', originId: 'P-1', image: { url: null }, extra: 'kept' },
  category: { id: '1' },
  'product-group': { id: '1', productCount: 3 },
  order: { id: '1', items: [{ originId: 'I-1' }] },
  'order-item': { id: '1', paidPrice: '6300' },
  review: { id: '1', rating: 5, images: [{ urls: { large: 'https://example.com/1.jpg' } }] },
  reward: { id: '1', amount: '500', status: 'QUEUED' },
  job: { jobId: '1', status: 'PENDING' },
  outcome: { file: 'a.csv', line: 2, originId: 'P-1', outcome: 'created', id: '7' },
  'open-reject': {
    file: 'a.csv',
    line: 2,
    originId: 'P-1',
    outcome: 'rejected',
    run: '6hn4v2-x7kq',
    kind: 'products',
  },
  'planned-record': {
    file: 'a.csv',
    line: 2,
    originId: 'P-1',
    outcome: 'updated',
    id: '7',
    changes: { name: { from: 'Cup', to: null } },
  },
  'planned-payment': {
    rewardId: '1',
    amount: 500,
    memberOriginId: 'm1',
    order: { originId: 'O-1' },
    key: 'k1',
    attempt: 1,
  },
  'review-outcome': { id: '7', outcome: 'rejected', error: 'not found', hint: 'reviewctl reviews list' },
  'review-statistic': {
    group: 'month',
    key: '2026-11',
    name: '2026-11',
    count: 3,
    share: 0.5,
    ratingAverage: null,
  },
  run: {
    run: 'r1',
    kind: 'orders',
    state: 'ended',
    exitCode: 0,
    startedAt: '2026-11-20T09:00:00.000Z',
    endedAt: '2026-11-20T09:00:01.000Z',
    undoableUntil: null,
    records: 2,
    outcomes: { created: 2 },
    files: ['a.csv'],
    command: ['orders', 'push', 'a.csv'],
    folder: 'shop',
  },
  'pruned-run': {
    run: '5mkp00',
    kind: 'orders',
    startedAt: '2026-05-01T00:00:00.000Z',
    action: 'keep',
    reason: 'it was killed, and its command continues it',
  },
  'record-resolution': { originId: 'I-1', resolution: 'not-sent' },
  'stored-job': {
    jobId: '1',
    state: 'pending',
    kind: 'order-item',
    originId: 'I-1',
    objectId: null,
    failureReason: null,
    run: null,
  },
  'reward-outcome': {
    rewardId: '1',
    amount: 500,
    memberOriginId: 'm1',
    outcome: 'paid',
    report: 'confirmed',
    key: 'k1',
    ref: 'r1',
  },
  'ledger-entry': {
    rewardId: '1',
    payment: 'paid',
    report: 'sent',
    amount: 500,
    memberOriginId: 'm1',
    key: 'k1',
    attempt: 1,
    keyGeneration: 0,
    payer: 'exec',
    firstCallAt: '2026-11-20T09:00:00.000Z',
    lastCallAt: '2026-11-20T09:00:00.000Z',
    isInDoubt: false,
    owner: null,
    isOwnerAlive: null,
    payerPid: null,
    payerSeconds: null,
    seenStatus: 'QUEUED',
    seenAt: '2026-11-20T09:00:00.000Z',
    ref: null,
    reason: null,
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
  'ledger-resolution': {
    rewardId: '1',
    resolution: 'paid',
    payment: 'paid',
    report: 'pending',
    key: 'k1',
    next: 'reviewctl rewards settle',
  },
  'ledger-status': {
    ledger: 'ledger.db',
    shop: 's',
    origin: 'https://example.com',
    createdAt: '2026-11-20T09:00:00.000Z',
    frozen: null,
    restoration: null,
    standing: 'current',
    states: [{ payment: 'paid', report: 'confirmed', count: 1, amount: 500 }],
    oldestUnknown: {
      rewardId: '2',
      since: '2026-11-20T09:00:00.000Z',
      ageSeconds: 60,
      lastCallAt: null,
    },
    reversed: { count: 1, amount: 500 },
    unpaidNotQueued: { count: 0, amount: 0, rewardIds: [] },
    batches: [],
    today: {
      day: '2026-11-20',
      spent: { count: 1, amount: 500 },
      reserved: { count: 0, amount: 0 },
      cap: null,
    },
    runs: [],
    events: 4,
    bytes: 4096,
  },
  'new-ledger': {
    ledger: 'ledger.db',
    shop: 's',
    origin: 'https://example.com',
    queued: { count: 1, amount: 500 },
    imported: { count: 0, queued: { count: 0, amount: 0 } },
  },
  'ledger-difference': {
    kind: 'unknown',
    rewardId: '1',
    payment: 'unknown',
    report: 'pending',
    status: 'QUEUED',
    ledgerAmount: 500,
    otherAmount: null,
    key: 'k1',
    line: null,
    message: 'its outcome is unknown',
    next: 'reviewctl ledger resolve 1',
  },
  'ledger-problem': { problem: 'event 7 does not fit event 6' },
  'payer-call': { step: 'pay', key: 'k1', answer: 'paid', ref: 'r1', sent: { id: '1' } },
  'command-list': {
    version: '0.1.0',
    commands: [
      {
        words: 'runs show',
        summary: 'show one push',
        writes: 'nothing',
        arguments: [{ name: 'run', isRequired: true, isRepeatable: false, help: 'a run' }],
        flags: [{ name: 'debug', type: 'boolean', section: 'Common', help: 'show every request' }],
        settings: ['timeout'],
        examples: ['reviewctl runs show last'],
        variables: [],
        exitCodes: [0, 2],
      },
    ],
    settings: [{ name: 'timeout', type: 'text', section: 'Connection', help: 'time limit' }],
    variables: [],
    exitCodes: [{ code: 2, meaning: 'usage' }],
  },
  profile: { name: 'mall', isCurrent: true, isProduction: false, credential: null, baseUrl: null },
  setting: { name: 'timeout', value: '30s', origin: 'default', place: 'default' },
  hint: {
    id: '1',
    time: '2026-11-20T09:00:00.000Z',
    rewardId: '1',
    status: 200,
    isPaid: true,
    message: null,
  },
  'written-review': { review: { id: '1' }, reward: { id: '2', amount: 500 } },
  'status-line': {
    about: 'rejects',
    status: 'person',
    message: '1 record rejected',
    last: null,
    ageSeconds: null,
    next: 'reviewctl runs rejects --open',
  },
  check: { check: 'node', status: 'ok', message: 'Node 20' },
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
  const { stdout } = await runInProcess(['schema'], { env });
  expect(stdout.trimEnd().split('\n').sort()).toEqual(Object.keys(examples).sort());
});

test.each(Object.entries(examples))(
  'the schema of %s takes what it describes and refuses something else',
  async (name, example) => {
    const { exitCode, stdout } = await runInProcess(['schema', name], { env });
    expect(exitCode).toBe(0);
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

test('what commands print is as its schema says', async () => {
  const sandbox = await serveSandbox({ port: 0, products: 2, orders: 2, reviews: 3 });
  onTestFinished(() => sandbox.close());
  const connected = { ...env, REVIEWCTL_BASE_URL: sandbox.baseUrl, REVIEWCTL_TOKEN: sandbox.token };
  const run = (words: string, stdin = '') => runInProcess(words.split(' '), { env: connected, stdin });
  const commands = {
    outcome: () => run('categories push -', 'originId,name\nC1,Cups\n'),
    'stored-job': () => run('jobs list'),
    run: () => run('runs list'),
    'review-statistic': () => run('reviews stats'),
    check: () => run('doctor -o ndjson'),
    request: () => run('products create --origin-id P9 --name Cup --dry-run'),
    'review-outcome': () => run('reviews hide 404'),
    error: async () => {
      const { stderr } = await run('runs show 404 -c log-format=json');
      return { stdout: stderr };
    },
  };
  for (const [name, command] of Object.entries(commands)) {
    const { stdout } = await command();
    const lines = stdout.split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(0);
    const schema = printedRecords[name as keyof typeof printedRecords];
    const faults = lines.map((line) => schema.safeParse(JSON.parse(line)).error);
    expect({ name, faults: faults.filter(Boolean) }).toEqual({ name, faults: [] });
  }
});

test('openapi describes its server by what every validator knows', async () => {
  const { stdout } = await runInProcess(['schema', 'openapi'], { env });
  const [server] = JSON.parse(stdout).servers;
  expect(Object.keys(server.variables.baseUrl)).toEqual(['default']);
  expect(server.description).toContain('sandbox');
});

test('openapi describes every documented operation by its method and path', async () => {
  const { stdout } = await runInProcess(['schema', 'openapi'], { env });
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
  const { exitCode, stderr } = await runInProcess(['schema', 'reviws'], { env });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('did you mean review? schemas: products,');
});

test('error-codes lists every code of an error, with its exit code and whether to try again', async () => {
  const { stdout } = await runInProcess(['schema', 'error-codes'], { env });
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
    const { stdout } = await runInProcess(['schema', 'commands', ...words], { env });
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
  const unknown = await runInProcess(['schema', 'commands', 'order'], { env });
  expect(unknown).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("no command begins with 'order'"),
  });
  const several = await runInProcess(['schema', 'review', 'reward'], { env });
  expect(several).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('more than one name') });
});
