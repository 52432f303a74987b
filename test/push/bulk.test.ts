import { describe, expect, it, test } from 'vitest';
import type { WireReply } from '../../src/contract/wire.ts';
import type { BulkEntry } from '../../src/push/plan/request.ts';
import { sendRequest } from '../../src/push/send/journaled.ts';
import { createSendContext } from '../../src/push/send/send-journaled.ts';
import type { PushOutcome } from '../../src/push/steps/outcome.ts';
import type { PushJournal } from '../../src/store/journal/push-journal.ts';
import { apiOver } from '../client/call.ts';
import { lost, replyOf, scriptedTransport } from '../client/scripted-transport.ts';

const whole = { createOrders: 'POST /admin/v2/orders/bulk' };

/**
 * A client whose service gives these answers, and a journal that records its writes. With `failure`, the journal
 * refuses ends of jobs.
 */
function openSending(answers: readonly (WireReply | Error)[], failure?: Error) {
  const service = scriptedTransport(...answers);
  const written: unknown[] = [];
  const take = (name: 'begin' | 'end' | 'endJobs', ...args: readonly unknown[]) => {
    written.push([name, ...args]);
    const isTaken = failure === undefined || name !== 'endJobs';
    return isTaken ? Promise.resolve(written.length) : Promise.reject(failure);
  };
  const journal = {
    begin: (...args) => take('begin', ...args),
    end: async (...args) => void (await take('end', ...args)),
    endJobs: async (...args) => void (await take('endJobs', ...args)),
  } satisfies Partial<PushJournal>;
  const push = {
    api: apiOver(service.transport, whole),
    journal: journal as Partial<PushJournal> as PushJournal,
    concurrency: 1,
    stopping: new AbortController().signal,
  };
  const context = createSendContext(push, 'order-item');
  /** Sends one request; returns its outcomes and its error. */
  const send = async (entries: readonly BulkEntry[]) => {
    const outcomes: PushOutcome[] = [];
    let answered = 0;
    const error = await sendRequest(
      context,
      { operation: 'bulkCreateOrderItems', entries },
      (outcome) => outcomes.push(outcome),
      () => {
        answered += 1;
      },
    ).catch((reason: unknown) => reason);
    const words = outcomes.map(({ originId, outcome }) => `${originId} ${outcome}`);
    return { outcomes, words, answered, error };
  };
  return { context, send, written, sent: service.sent };
}

/** The outcomes, the journal writes and the bodies of one request. */
async function sent(entries: readonly BulkEntry[], ...opening: Parameters<typeof openSending>) {
  const sending = openSending(...opening);
  const told = await sending.send(entries);
  return { ...told, written: sending.written, bodies: sending.sent.map(({ body }) => body) };
}

const place = (originId: string) => ({ file: 'a.csv', line: 2, originId });
const record = (originId: string) => ({
  ...place(originId),
  contentHash: `h${originId}`,
  text: `"${originId}"`,
});
const order = (originId: string, ...items: readonly string[]) => ({
  originId,
  text: `"${originId}"`,
  records: items.map(record),
  owner: { originId, contentHash: 'o', kind: 'order' } as const,
});
const job = (originId: string | null, more: object = {}) => ({
  jobId: `J-${originId}`,
  entryOriginId: originId,
  status: 'PENDING',
  ...more,
});
const made = (originId: string) => job(originId, { status: 'SUCCESS', successObjectId: `i-${originId}` });
const jobs = (...all: readonly object[]) => replyOf(200, all);
const entryOf = (originId: string) => expect.objectContaining({ originId, contentHash: `h${originId}` });

describe('a bulk request that is taken', () => {
  test('is on record before and after it, and its records are queued', async () => {
    const { outcomes, error, answered, written, bodies } = await sent(
      [record('A'), record('B')],
      [jobs(job('A'), job('B'))],
    );
    expect(error).toBeUndefined();
    expect(bodies).toEqual(['["A","B"]']);
    expect(outcomes).toEqual([
      { ...place('A'), outcome: 'queued', jobId: 'J-A' },
      { ...place('B'), outcome: 'queued', jobId: 'J-B' },
    ]);
    expect(answered).toBe(1);
    expect(written).toEqual([
      ['begin', 'order-item', [entryOf('A'), entryOf('B')]],
      ['end', 1, { jobIds: ['J-A', 'J-B'] }],
    ]);
  });

  test('of no entries is none', async () => {
    const { error, bodies, written } = await sent([], [lost]);
    expect({ error, bodies, written }).toEqual({ error: undefined, bodies: [], written: [] });
  });

  test('tells what its jobs came to where they have ended', async () => {
    const failed = job('B', { status: 'FAILURE', failureReason: 'no' });
    const { outcomes, written } = await sent(['A', 'B', 'C'].map(record), [
      jobs(made('A'), failed, job('C')),
    ]);
    expect(outcomes).toEqual([
      { ...place('A'), outcome: 'created', id: 'i-A', jobId: 'J-A' },
      { ...place('B'), outcome: 'failed', jobId: 'J-B', error: 'no' },
      { ...place('C'), outcome: 'queued', jobId: 'J-C' },
    ]);
    expect(written.slice(2)).toEqual([
      [
        'endJobs',
        'order-item',
        [
          { originId: 'A', jobId: 'J-A', state: 'succeeded', objectId: 'i-A' },
          { originId: 'B', jobId: 'J-B', state: 'failed', failureReason: 'no' },
        ],
        [],
      ],
    ]);
  });

  it.each<[string, readonly object[], readonly string[]]>([
    ['by their names where they come in another order', [job('B'), job('A')], ['A queued', 'B queued']],
    ['in their order where some have no name', [job(null), job('B')], ['A queued', 'B queued']],
    ['by their names where one is of no record', [job('A'), job('C')], ['A queued', 'B unknown']],
    ['by their names where one is missing', [job('B')], ['A unknown', 'B queued']],
    ['by their names where there is one too many', [job('A'), job('B'), job('C')], ['A queued', 'B queued']],
    [
      'by nothing where there is one too many without a name',
      [job(null), job(null), job(null)],
      ['A unknown', 'B unknown'],
    ],
  ])('has its jobs matched %s', async (_, answer, words) => {
    const told = await sent([record('A'), record('B')], [jobs(...answer)]);
    expect(told.words).toEqual(words);
    for (const { originId, jobId } of told.outcomes)
      if (jobId !== undefined && jobId !== 'J-null') expect(jobId).toBe(`J-${originId}`);
  });

  test('without a job for a record leaves that unknown', async () => {
    const { outcomes, written } = await sent([record('A'), record('B')], [jobs(made('B'))]);
    expect(outcomes[0]).toEqual({
      ...place('A'),
      outcome: 'unknown',
      error: 'the answer names no job for this record',
    });
    expect(written.slice(1)).toEqual([
      ['end', 1, { accepted: [{ entry: entryOf('B'), jobId: 'J-B' }], unknown: [entryOf('A')] }],
      ['endJobs', 'order-item', [{ originId: 'B', jobId: 'J-B', state: 'succeeded', objectId: 'i-B' }], []],
    ]);
  });
});

describe('a bulk request of whole orders', () => {
  const owner = (originId: string) => ({ originId, contentHash: 'o', kind: 'order' });

  test('journals each order beside its items, which share its job', async () => {
    const { outcomes, written } = await sent(
      [order('O', 'A', 'B'), order('Q', 'C')],
      [jobs(job('O'), job('Q'))],
    );
    expect(outcomes.map(({ originId, outcome, jobId }) => [originId, outcome, jobId])).toEqual([
      ['A', 'queued', 'J-O'],
      ['B', 'queued', 'J-O'],
      ['C', 'queued', 'J-Q'],
    ]);
    const accepted = [
      { entry: entryOf('A'), jobId: 'J-O' },
      { entry: entryOf('B'), jobId: 'J-O' },
      { entry: owner('O'), jobId: 'J-O' },
      { entry: entryOf('C'), jobId: 'J-Q' },
      { entry: owner('Q'), jobId: 'J-Q' },
    ];
    expect(written).toEqual([
      ['begin', 'order-item', accepted.map(({ entry }) => entry)],
      ['end', 1, { accepted, unknown: [] }],
    ]);
  });

  test('ends the order where its job has ended; its object is not that of the items', async () => {
    const { outcomes, written } = await sent([order('O', 'A')], [jobs(made('O'))]);
    expect(outcomes).toEqual([{ ...place('A'), outcome: 'created', jobId: 'J-O' }]);
    expect(written.slice(2)).toEqual([
      [
        'endJobs',
        'order-item',
        [{ originId: 'A', jobId: 'J-O', state: 'succeeded' }],
        [{ originId: 'O', jobId: 'J-O', state: 'succeeded', objectId: 'i-O' }],
      ],
    ]);
  });

  test('leaves all of an order unknown for which there is no job', async () => {
    const { words, written } = await sent([order('O', 'A', 'B'), order('Q', 'C')], [jobs(job('Q'))]);
    expect(words).toEqual(['A unknown', 'B unknown', 'C queued']);
    expect(written[1]).toMatchObject(['end', 1, { unknown: [entryOf('A'), entryOf('B'), owner('O')] }]);
  });

  test('rejects all items of an order that is refused', async () => {
    const refusal = { detail: [{ loc: ['body', 0, 'orderedAt'], msg: 'is needed', type: 'x' }] };
    const { outcomes } = await sent([order('O', 'A', 'B')], [replyOf(422, refusal)]);
    const error = 'orderedAt is needed';
    expect(outcomes).toEqual(['A', 'B'].map((id) => ({ ...place(id), outcome: 'rejected', error })));
  });
});

describe('a bulk request that is refused', () => {
  const naming = (...issues: readonly (readonly [readonly (string | number)[], string])[]) =>
    replyOf(422, { detail: issues.map(([loc, msg]) => ({ loc, msg, type: 'x' })) });
  const general = replyOf(422, { detail: 'not now' });

  test('is sent again without the entries that the service names, once', async () => {
    const { outcomes, words, bodies, answered, written } = await sent(['A', 'B', 'C', 'D'].map(record), [
      naming(
        [['body', 1, 'originId'], 'is odd'],
        [['body', 3, 'shipment', 'companyCode'], 'is no carrier'],
        [['body', 1, 'paidPrice'], 'is missing'],
        [['body', 4], 'is none'],
        [['query'], 'is bad'],
      ),
      jobs(job('A'), job('C')),
    ]);
    expect(bodies).toEqual(['["A","B","C","D"]', '["A","C"]']);
    expect(words).toEqual(['B rejected', 'D rejected', 'A queued', 'C queued']);
    expect(outcomes.map(({ error }) => error).slice(0, 2)).toEqual([
      'originId is odd; paidPrice is missing',
      'shipment companyCode is no carrier',
    ]);
    expect(written[1]).toEqual(['end', 1, {}]);
    expect(answered).toBe(0);
  });

  test('is not sent again where all are named', async () => {
    const { words, bodies } = await sent([record('A')], [naming([['body', '0', 'originId'], 'is odd'])]);
    expect(words).toEqual(['A rejected']);
    expect(bodies).toHaveLength(1);
  });

  it.each<[string, WireReply]>([
    ['nothing', general],
    ['no entry', naming([['query', 'x'], 'not now'])],
    ['all of them', naming([['body'], 'not now'])],
    ['an entry that was not sent', naming([['body', 3, 'originId'], 'not now'])],
  ])('naming %s is sent again in halves, down to single records', async (_, refusal) => {
    const { outcomes, words, bodies } = await sent(['A', 'B', 'C'].map(record), [
      refusal,
      refusal,
      general,
      jobs(job('B')),
      jobs(job('C')),
    ]);
    expect(bodies).toEqual(['["A","B","C"]', '["A","B"]', '["A"]', '["B"]', '["C"]']);
    expect(words).toEqual(['A rejected', 'B queued', 'C queued']);
    expect(outcomes[0]?.error).toBe('not now');
  });

  test('is not sent in halves any more once eight records were refused alone for its reason', async () => {
    const names = Array.from({ length: 32 }, (_, index) => `I${index}`);
    const { outcomes } = await sent(names.map(record), [general]);
    const rejected = outcomes.filter(({ outcome }) => outcome === 'rejected');
    expect(rejected).toHaveLength(8);
    expect(new Set(outcomes.slice(8).map(({ outcome, error }) => `${outcome}: ${String(error)}`))).toEqual(
      new Set(['failed: not now (every record tried alone was refused for this)']),
    );
  });
});

describe('what cannot be known is told as unknown', () => {
  const full = new Error('the disk is full');

  it.each([
    ['records', [record('A'), record('B')]],
    ['orders', [order('O', 'A', 'B')]],
  ])('where the answer is lost, which is not asked for again: %s', async (_, entries) => {
    const { outcomes, error, answered, written, bodies } = await sent(entries, [lost]);
    expect(error).toBeUndefined();
    expect(outcomes).toMatchObject(['A', 'B'].map((id) => ({ ...place(id), outcome: 'unknown' })));
    expect(answered).toBe(0);
    expect(written).toMatchObject([
      ['begin', 'order-item', expect.any(Array)],
      ['end', 1, { unknown: expect.any(Array) }],
    ]);
    expect(bodies).toHaveLength(1);
  });

  test('but what is on record as taken is queued where the journal cannot take its end', async () => {
    const { outcomes, error } = await sent([record('A'), record('B')], [jobs(made('B'))], full);
    expect(error).toBe(full);
    expect(outcomes).toMatchObject([
      { outcome: 'unknown' },
      { ...place('B'), outcome: 'queued', jobId: 'J-B' },
    ]);
  });
});

describe('a push', () => {
  const refusal = replyOf(422, { detail: 'not now' });

  test('ends with the third lost answer in a row; what is taken or refused is an answer', async () => {
    const two = [lost, lost];
    const { send } = openSending([...two, jobs(job('A')), ...two, refusal, ...two, lost]);
    const told = [];
    for (let request = 1; request <= 8; request += 1) told.push((await send([record('A')])).error);
    expect(told).toEqual(Array.from({ length: 8 }));
    expect(await send([record('A')])).toMatchObject({ words: ['A unknown'], error: { kind: 'unreachable' } });
  });

  test('takes a reason that stopped one record after the other for general only until one is taken', async () => {
    const eight = Array.from({ length: 8 }, () => refusal);
    const { send } = openSending([...eight, jobs(job('A')), refusal]);
    for (let request = 1; request <= 9; request += 1) await send([record('A')]);
    expect((await send([record('A'), record('B')])).words).toEqual(['A rejected', 'B rejected']);
  });

  test('ends with an error that is no record to blame for; only what nobody foresaw leaves a request open', async () => {
    const { written, ...told } = await sent([record('A')], [replyOf(401)]);
    expect(told).toMatchObject({ outcomes: [], error: { kind: 'not-authenticated' } });
    expect(written[1]).toEqual(['end', 1, {}]);
    const { send, ...sending } = openSending([jobs(job('A'))]);
    const bug = new TypeError('a bug');
    const api = { ...sending.context.api, call: () => Promise.reject(bug) };
    Object.assign(sending.context, { api });
    expect(await send([record('A')])).toMatchObject({ outcomes: [], error: bug });
    expect(sending.written).toHaveLength(1);
  });
});
