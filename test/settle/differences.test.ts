import { expect, it } from 'vitest';
import { Statement } from '../../src/payer/read-statement.ts';
import { differenceKinds, reconcile } from '../../src/settle/manual/reconcile.ts';
import { paymentKey } from '../../src/settle/rules/payment-key.ts';
import type { LedgerEntry, LedgerEvent, Observation } from '../../src/store/ledger/ledger.ts';
import {
  identity as account,
  grouped,
  nowMs,
  observation,
  paid,
  paying,
  refused,
  seen,
  unknown,
} from './entries.ts';
import { pagesOf, readLedger } from './read-ledger.ts';

/*
 * Messages for every kind of difference between ledger, service and payer about a reward, as text for review. Written
 * by `npx vitest run test/settle/differences.test.ts -u`.
 */

type Rows = readonly (readonly [name: string, amount: number, member?: string])[];

interface Compared {
  readonly entries?: readonly LedgerEntry[];
  /** R1 as the service shows it. */
  readonly shown?: Partial<Observation> | undefined;
  readonly rows?: Rows | undefined;
  readonly fromMs?: number;
  readonly untilMs?: number;
  /** Further events of R1 in the ledger: a reversal, or an accepted difference. */
  readonly events?: readonly LedgerEvent[];
}

const keyNameOf = (keyGeneration: number) => `key ${paymentKey(account, 'R1', keyGeneration)}`;
/** The key of the first payment for R1. */
const keyName = keyNameOf(0);

const reversed = {
  seq: 9,
  atMs: nowMs,
  rewardId: 'R1',
  kind: 'reversed',
  by: 'person',
  payment: 'paid',
  report: 'confirmed',
  attempt: 1,
  detail: { ref: 'B1', amount: '500' },
} as const satisfies LedgerEvent;
const accepted = { ...reversed, kind: 'reported', detail: { accepted: 'as agreed' } } as const;

/** Every difference and every missing record, a line each. */
async function compare({ entries = [], shown, rows, events = [], ...period }: Compared) {
  const statement = rows === undefined ? undefined : new Statement();
  for (const [index, [name, amount, member]] of (rows ?? []).entries())
    statement?.add(index + 2, name, BigInt(amount) * 10_000n, member);
  const rewards = shown === undefined ? [] : [{ rewardId: 'R1', seen: observation(shown) }];
  const identity = { ...account, ledgerId: 'ledger', createdAtMs: nowMs };
  const ledger = { identity, ...readLedger(entries, events) };
  const lines: string[] = [];
  const options = { statement, fromMs: nowMs, untilMs: nowMs, ...period };
  for await (const difference of reconcile(
    ledger,
    { all: () => pagesOf(rewards) },
    {
      ...options,
      noteLacking: ({ name, line, rewardId }) => lines.push(`lacks ${name}, line ${line}, of ${rewardId}`),
    },
  )) {
    const { kind, message, next, key, ...about } = difference;
    const known = Object.entries(about).filter(([, value]) => value !== null);
    const keyed = key === null ? '' : ', with its key';
    lines.push(
      `${kind}: ${message} | ${known.map((pair) => pair.join(' ')).join(', ')}${keyed} | ${String(next)}`,
    );
  }
  return lines.map((line) => line.replaceAll(keyName, 'key K0')).join('\n    ') || 'nothing';
}

const known: Readonly<Record<string, LedgerEntry | undefined>> = {
  'not known': undefined,
  waiting: seen,
  'being paid': paying,
  'in doubt': unknown,
  'in doubt for no known reason': { ...unknown, reason: null },
  paid,
  'paid, and smaller since': { ...paid, seen: observation({ amount: 1n }) },
  'paid at no known time': { ...paid, lastCallAtMs: null },
  imported: { ...paid, terms: null },
  refused,
  'waiting under a later key': { ...seen, keyGeneration: 2 },
};

const earlier = '{"createdAt":"2026-01-01T14:58:59Z"}';
const atFirst = '{"createdAt":"2026-01-01T14:59:00Z"}';
const services: Readonly<Record<string, Partial<Observation> | undefined>> = {
  'does not show it': undefined,
  waits: {},
  'waits for another amount': { amount: 4_000_000n },
  'waits for another member': { memberOriginId: 'M2' },
  'says SUCCESS': { status: 'SUCCESS' },
  'says SUCCESS for another amount': { status: 'SUCCESS', amount: 4_000_000n },
  'says SUCCESS for no amount': { status: 'SUCCESS', amount: null },
  'says SUCCESS for another member': { status: 'SUCCESS', memberOriginId: 'M2' },
  'says SUCCESS, since before the ledger': { status: 'SUCCESS', document: earlier },
  'says CANCELLED': { status: 'CANCELLED' },
  'says CANCELLED for no member': { status: 'CANCELLED', memberOriginId: null },
  'says FAILURE': { status: 'FAILURE' },
  'says FAILURE, of a guest': { status: 'FAILURE', memberOriginId: null },
  'says FAILURE, without an amount': { status: 'FAILURE', amount: null },
  'says FAILURE, of nothing': { status: 'FAILURE', amount: 0n },
  'says FAILURE, since before the ledger': { status: 'FAILURE', document: earlier },
  'says FAILURE, since the instant of the ledger': { status: 'FAILURE', document: atFirst },
  'says FAILURE, since no instant': { status: 'FAILURE', document: '{"createdAt":0}' },
  'says nothing': { status: '' },
};

const statements: Readonly<Record<string, Rows>> = {
  nothing: [],
  'its key': [[keyName, 500]],
  'its reward': [['reward R1', 500]],
  'its receipt': [['ref T1', 500]],
  'a receipt that is null': [['ref null', 5]],
  'another amount': [[keyName, 400]],
  'its member': [[keyName, 500, 'M1']],
  'another member': [[keyName, 500, 'M2']],
  'that it was taken back': [[keyName, -500]],
  'it, and that it was taken back': [
    [keyName, 500],
    [keyName, -500],
  ],
  'it, and under another name that it was taken back': [
    [keyName, 500],
    ['reward R1', -500],
  ],
  'it, and that some was taken back': [
    [keyName, 500],
    [keyName, -200],
  ],
  'it, and a reversal with its own receipt': [
    [keyName, 500],
    ['ref B1', -500],
  ],
  'that some was taken back': [[keyName, -200]],
  'it twice': [
    [keyName, 500],
    ['reward R1', 300],
  ],
  'it in two parts': [
    [keyName, 200],
    [keyName, 300],
  ],
  'two parts of it': [
    [keyName, 200],
    [keyName, 200],
  ],
  'it twice, and that one was taken back': [
    [keyName, 500],
    [keyName, 500],
    [keyName, -500],
  ],
  'the last of three later keys': [[keyNameOf(3), 500]],
  'a key that it cannot have had': [[keyNameOf(4), 500]],
  'one of another shop': [['ref T9', 5]],
};

const entriesOf = (entry: LedgerEntry | undefined) => (entry === undefined ? [] : [entry]);
/** The service's status for an entry if both agree. */
const agreed = (entry: LedgerEntry | undefined) =>
  entry?.payment === 'paid'
    ? { status: 'SUCCESS' }
    : entry?.payment === 'refused'
      ? { status: 'CANCELLED' }
      : {};

it('what is said of every difference between ledger, service and payer is as it was reviewed', async () => {
  const texts: string[] = [];
  const write = async (what: string, cases: readonly (readonly [name: string, compared: Compared])[]) => {
    const lines = await Promise.all(
      cases.map(async ([name, compared]) => [name, await compare(compared)] as const),
    );
    texts.push(`${what}\n${grouped(lines)}`);
  };
  for (const [name, entry] of Object.entries(known)) {
    const entries = entriesOf(entry);
    await write(
      `${name}; the service`,
      Object.entries(services).map(([service, shown]) => [service, { entries, shown }]),
    );
    await write(
      `${name}; the statement shows`,
      Object.entries(statements).map(([stated, rows]) => [stated, { entries, shown: agreed(entry), rows }]),
    );
  }
  const success = { status: 'SUCCESS' };
  await write(
    'paid, and taken back; the statement shows',
    Object.entries(statements).map(([stated, rows]) => [
      stated,
      { entries: [paid], shown: success, rows, events: [reversed] },
    ]),
  );
  const confirmed = { ...paid, report: 'confirmed' } as const;
  await write(
    'paid, and the difference accepted; the service',
    Object.entries(services).map(([service, shown]) => [
      service,
      { entries: [confirmed], shown, events: [accepted] },
    ]),
  );
  const rows: Rows = [];
  const own: Rows = [['reward R1', 500]];
  const twice: Rows = [...own, ...own];
  const listed = { ...accepted, seq: 10, kind: 'seen', detail: { status: 'QUEUED' } } as const;
  const refusal = { ...refused, report: 'confirmed' } as const;
  await write('about a period, or from before the ledger', [
    ['not named, after the period', { entries: [paid], shown: success, rows, untilMs: nowMs - 1 }],
    ['not named, before the period', { entries: [paid], shown: success, rows, fromMs: nowMs + 1 }],
    ['taken back, before', { entries: [paid], shown: success, rows: [[keyName, -500]], fromMs: nowMs + 1 }],
    ['stated, and reported before', { shown: { document: earlier, ...success }, rows: own }],
    ['stated under our key', { shown: { document: earlier, ...success }, rows: [[keyName, 500]] }],
    ['stated, and not reported', { shown: { document: earlier }, rows: own }],
    ['stated, and failed', { shown: { status: 'FAILURE' }, rows: own }],
    ['stated, and reported', { shown: success, rows: own }],
    ['stated, of no amount', { shown: { amount: null }, rows: own }],
    ['accepted, and listed since', { entries: [confirmed], shown: {}, events: [accepted, listed] }],
    ['accepted, and paid twice', { entries: [confirmed], shown: success, rows: twice, events: [accepted] }],
    ['refused, accepted, and SUCCESS', { entries: [refusal], shown: success, events: [accepted] }],
    ['not shown, and without a status', { entries: [{ ...seen, seen: { ...seen.seen, status: '' } }] }],
  ]);
  await expect(texts.join('\n')).toMatchFileSnapshot('../../fixtures/settlement/differences.txt');
});

it('the compared entries are counted, each kind has words, and an id is one word of a command', async () => {
  const counts: number[] = [];
  const identity = { ...account, ledgerId: 'ledger', createdAtMs: nowMs };
  const entries = [seen, { ...seen, rewardId: 'R2' }];
  const oddSeen = observation({ status: 'SUCCESS', document: '{}' });
  const service = { all: () => pagesOf([{ rewardId: '7; $(x)', seen: oddSeen }]) };
  const options = { fromMs: 0, untilMs: nowMs, onCompared: (count: number) => void counts.push(count) };
  const next: string[] = [];
  for await (const one of reconcile({ identity, ...readLedger(entries) }, service, options))
    next.push(String(one.next));
  expect(next[0]).toBe("reviewctl rewards get '7; $(x)'");
  expect(counts).toEqual([1, 2]);
  const words = Object.values(differenceKinds);
  expect(words.filter((text) => /\w/.test(text))).toEqual([...new Set(words)]);
});
