import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { appendLog, checkSettlement, type Judgement, type LogLine } from './settlement-logs.ts';

/* Tests the judge: it must accept three sound logs, and must detect each falsification of them. */

interface Logs {
  readonly payer: readonly LogLine[];
  readonly service: readonly LogLine[];
  readonly ledger: readonly LogLine[];
}

const payment = (what: string, reward: string, more: object = {}): LogLine => ({
  what,
  key: `key-${reward}`,
  reward,
  amount: '500',
  member: `M${reward}`,
  pid: 100,
  at: 2_000,
  ...more,
});

const event = (
  seq: number,
  rewardId: string,
  kind: string,
  [payment, report, attempt]: State,
  detail = {},
): LogLine => ({
  what: 'EVENT',
  seq,
  atMs: seq * 10,
  rewardId,
  kind,
  by: 'run-1',
  payment,
  report,
  attempt,
  detail,
});
type State = readonly [payment: string, report: string, attempt: number];

const seen = (member: string) => ({ status: 'QUEUED', amount: '500', memberOriginId: member });
const claim = (reward: string) => ({
  key: `key-${reward}`,
  amount: '500',
  memberOriginId: `M${reward}`,
  owner: 'run-1',
});

/** The final budget of the ledger: nothing reserved, and this amount spent. */
function budget(scope: string, spentAmount: string): LogLine {
  return { what: 'BUDGET', scope, reservedAmount: '0', spentAmount };
}

const seenA = event(1, 'A', 'seen', ['intended', 'pending', 0], seen('MA'));
const claimedA = event(2, 'A', 'claimed', ['paying', 'pending', 1], claim('A'));
/** The detail of an event by a person. */
const found = { evidence: 'person' };
const paidA = event(3, 'A', 'paid', ['paid', 'pending', 1]);
/** A call of the payer that pays A. */
const paidCall = ['CALL', 'EFFECT', 'ANSWER'].map((what) => payment(what, 'A', { outcome: 'paid' }));

/** A is paid and reported, B is refused and reported, C is for a guest and held. */
const sound: Logs = {
  payer: [...paidCall, payment('CALL', 'B'), payment('ANSWER', 'B', { outcome: 'refused' })],
  service: [
    { what: 'PATCH', reward: 'A', status: 'SUCCESS', at: 3_000 },
    { what: 'ANSWER', reward: 'B', status: 503, at: 100 },
    { what: 'ANSWER', reward: 'B', status: 422, at: 3_000 },
    { what: 'PATCH', reward: 'B', status: 'CANCELLED', at: 3_000 },
    { what: 'STATUS', reward: 'A', status: 'SUCCESS', amount: 500 },
    { what: 'STATUS', reward: 'B', status: 'CANCELLED', amount: 500 },
  ],
  ledger: [
    seenA,
    event(2, 'B', 'seen', ['intended', 'pending', 0], seen('MB')),
    event(3, 'C', 'seen', ['intended', 'pending', 0], { ...seen(''), memberOriginId: null }),
    event(4, 'A', 'claimed', ['paying', 'pending', 1], claim('A')),
    event(5, 'B', 'claimed', ['paying', 'pending', 1], claim('B')),
    event(6, 'A', 'paid', ['paid', 'pending', 1]),
    event(7, 'B', 'refused', ['refused', 'pending', 1]),
    event(8, 'A', 'reported', ['paid', 'confirmed', 1]),
    event(9, 'B', 'reported', ['refused', 'confirmed', 1]),
    { what: 'RUN', exitCode: 0 },
    budget('run run-1', '500'),
    budget('day 1970-01-01', '500'),
    budget('member 1970-01-01 MA', '500'),
  ],
};

/** A is called twice, with an idempotent payer: its first answer is lost, and another run repeats the call. */
const repeated: readonly LogLine[] = [
  seenA,
  claimedA,
  event(3, 'A', 'unknown', ['unknown', 'pending', 1]),
  { ...event(4, 'A', 'claimed', ['paying', 'pending', 2], claim('A')), by: 'run-2' },
  event(5, 'A', 'paid', ['paid', 'pending', 2]),
  budget('run run-1', '500'),
  budget('run run-2', '500'),
  budget('day 1970-01-01', '500'),
  budget('member 1970-01-01 MA', '500'),
];

function judged({ payer, service, ledger }: Logs, changes: Partial<Judgement> = {}): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, lines] of Object.entries({ payer, service, ledger }))
    appendLog(folder, name as keyof Logs, lines);
  return checkSettlement([folder], {
    isIdempotent: false,
    hasEvidence: true,
    isClockSteady: true,
    killed: [],
    ...changes,
  });
}

const told = (more: Partial<Logs>): Logs => ({ ...sound, ...more });
const withoutEvents = (...seqs: readonly number[]) =>
  sound.ledger.filter(({ seq }) => !seqs.includes(Number(seq)));
const changed = (lines: readonly LogLine[], is: (line: LogLine) => boolean, more: object) =>
  lines.map((line) => (is(line) ? { ...line, ...more } : line));
const isOf = (reward: string, what: string) => (line: LogLine) =>
  line['reward'] === reward && line.what === what;

test('of a sound settlement the checker has nothing to say', () => {
  expect(judged(sound)).toEqual([]);
  expect(judged(sound, { maxPerDay: '1000' })).toEqual([]);
});

const wrongs: readonly (readonly [wrong: string, logs: Logs, words: string])[] = [
  [
    'the payer is called and pays twice',
    told({
      payer: [...sound.payer, ...paidCall],
    }),
    'reward A: its money moved 2 times',
  ],
  [
    'a second call has no claim',
    told({ payer: [...sound.payer, payment('CALL', 'A'), payment('ANSWER', 'A', { outcome: 'paid' })] }),
    'reward A: call 2 with key key-A has no claim in the ledger',
  ],
  [
    'the payer is called before the claim is durable',
    told({ payer: changed(sound.payer, isOf('A', 'CALL'), { at: 30 }) }),
    'reward A: the payer was called 10 ms before the claim',
  ],
  [
    'two calls for one reward are under way at once',
    told({ payer: [...sound.payer, { what: 'OVERLAP', reward: 'A', pid: 101, beside: 100 }] }),
    'reward A: the payer was called while the call of process 100 was under way',
  ],
  ['an event is lost', told({ ledger: withoutEvents(6) }), 'the event after 5 is numbered 7'],
  [
    'a reward goes a way it must not',
    told({ ledger: changed(sound.ledger, ({ seq }) => seq === 6, { kind: 'released', payment: 'paid' }) }),
    'reward A: event 6, released, leads from paying to paid',
  ],
  [
    'SUCCESS is told and no money moved',
    told({ payer: sound.payer.filter(({ what }) => what !== 'EFFECT') }),
    'reward A: the service was told SUCCESS, and no money moved',
  ],
  [
    'SUCCESS is told before it is on record',
    told({ service: changed(sound.service, isOf('A', 'PATCH'), { at: 50 }) }),
    'reward A: the service was told SUCCESS before the ledger knew it to be paid',
  ],
  [
    'CANCELLED is told and money moved later',
    told({ payer: [...sound.payer, payment('EFFECT', 'B')] }),
    'reward B: the service was told that it was not paid, and its money moved',
  ],
  [
    'the key of a payment changes',
    told({
      payer: [...sound.payer, payment('CALL', 'A', { key: 'key-A2' })],
    }),
    'reward A: the payer was called with key key-A2, which no claim names',
  ],
  [
    'a claim takes a new key though the old one may have paid',
    told({
      ledger: [
        ...withoutEvents(6, 8).filter(({ what }) => what === 'EVENT'),
        event(6, 'A', 'unknown', ['unknown', 'pending', 1]),
        event(8, 'A', 'claimed', ['paying', 'pending', 2], { ...claim('A'), key: 'key-A2' }),
      ].sort((one, other) => Number(one['seq']) - Number(other['seq'])),
    }),
    'reward A: event 8 claims it under another key than before',
  ],
  [
    'the payer is told another amount',
    told({ payer: changed(sound.payer, isOf('A', 'CALL'), { amount: '5000' }) }),
    'reward A: the payer was told 5000 to MA, the claim says 500 to MA',
  ],
  [
    'the service shows another amount than was paid',
    told({ service: changed(sound.service, isOf('A', 'STATUS'), { amount: 700 }) }),
    'reward A: paid 500, claimed 500, and the service says 700',
  ],
  [
    'copies of a webhook get different answers',
    told({ service: [...sound.service, { what: 'ANSWER', reward: 'B', status: 200 }] }),
    'reward B: copies of one webhook were answered 503, 422, 200',
  ],
  [
    'a run ends with 0 and leaves a payment untold',
    told({
      ledger: withoutEvents(8, 9)
        .concat(event(8, 'B', 'reported', ['refused', 'confirmed', 1]))
        .sort((one, other) => Number(one['seq'] ?? 8.5) - Number(other['seq'] ?? 8.5)),
    }),
    'a run ended with 0, and reward A is paid and pending',
  ],
  [
    'a budget forgets what was spent',
    told({ ledger: changed(sound.ledger, ({ what }) => what === 'BUDGET', { spentAmount: '0' }) }),
    'the budget of run run-1 is not what the events add up to',
  ],
  [
    'a repeated call does not count for the run that makes it',
    told({ ledger: repeated.filter(({ scope }) => scope !== 'run run-2') }),
    'the budget of run run-2 is not what the events add up to',
  ],
  [
    'a repeated call counts for another day',
    told({ ledger: [...repeated, budget('day 1970-01-02', '500')] }),
    'the budget of day 1970-01-02 is not what the events add up to',
  ],
  [
    'what the payer said is not used',
    told({
      ledger: changed(withoutEvents(8, 9), ({ seq }) => seq === 6, {
        kind: 'unknown',
        payment: 'unknown',
      }).filter(({ what }) => what === 'EVENT'),
    }),
    'reward A: the payer said that it has paid, and the ledger says unknown',
  ],
  [
    'two rewards have one key',
    told({
      ledger: changed(sound.ledger, ({ seq }) => seq === 5, { detail: { ...claim('B'), key: 'key-A' } }),
    }),
    'the rewards A and B share the key key-A',
  ],
  [
    'the ledger cannot be opened',
    told({ ledger: [...sound.ledger, { what: 'WRONG', message: 'it is damaged' }] }),
    'the ledger: it is damaged',
  ],
];

test.each(wrongs)('where %s, the checker says so', (_, logs, words) => {
  expect(judged(logs)).toContain(words);
});

test('a call that another run repeats counts for both of them', () => {
  const payer = ['CALL', 'CALL', 'EFFECT', 'ANSWER'].map((what) => payment(what, 'A', { outcome: 'paid' }));
  const lines = { payer, service: sound.service.filter(isOf('A', 'STATUS')), ledger: repeated };
  expect(judged(lines, { isIdempotent: true })).toEqual([]);
  expect(judged(lines, { isIdempotent: true, maxPerRun: '499' })).toEqual([
    'event 2 goes beyond the cap of run run-1, 499',
    'event 4 goes beyond the cap of run run-2, 499',
  ]);
});

test('where a cap is exceeded for an instant only, the checker says so', () => {
  expect(judged(sound, { maxPerDay: '900' })).toContain('event 5 goes beyond the cap of day 1970-01-01, 900');
});

test('what a process noted in a ledger that was moved away, before it told the service, was on record', () => {
  const service = changed(sound.service, isOf('A', 'PATCH'), { at: 50 });
  const left = { ...event(6, 'A', 'paid', ['paid', 'pending', 1]), what: 'LEFT', atMs: 40 };
  expect(judged({ ...sound, service, ledger: [...sound.ledger, left] })).toEqual([]);
});

test('what only the lost ledger knew to be refused may be paid where a backup took its place', () => {
  const lost = [claimedA, event(3, 'A', 'refused', ['refused', 'pending', 1])].map((line) => ({
    ...line,
    what: 'LOST',
  }));
  const after = [claimedA, paidA, event(4, 'A', 'reported', ['paid', 'confirmed', 1])];
  const payer = [
    ...['CALL', 'ANSWER'].map((what) => payment(what, 'A', { outcome: 'refused' })),
    ...paidCall,
  ];
  const service = [
    { what: 'ANSWER', reward: 'A', status: 422, at: 2_500 },
    ...sound.service.filter(isOf('A', 'STATUS')),
  ];
  const refused = 'reward A: the service was told that it was not paid, and its money moved';
  const restored = { what: 'RESTORED', seq: 1 };
  expect(judged({ payer, service, ledger: [seenA, restored, ...lost, ...after] })).not.toContain(refused);
  expect(judged({ payer, service, ledger: [seenA, restored, ...after] })).toContain(refused);
});

test('whoever heard what became of a reward may be told to wait, and where a backup took its place, anything', () => {
  const again = (status: number, message: string) => ({ what: 'ANSWER', reward: 'B', status, message });
  const waits = again(503, 'an internal error; its outcome will be reported');
  const denies = again(503, 'held: too much; not paid');
  const judgedWith = (answer: LogLine, ledger = sound.ledger) =>
    judged({ ...sound, service: [...sound.service, answer], ledger });
  expect(judgedWith(waits)).toEqual([]);
  const different = 'reward B: copies of one webhook were answered 503, 422, 503 "held: too much; not paid"';
  expect(judgedWith(denies)).toEqual([different]);
  const lost = { ...event(7, 'B', 'refused', ['refused', 'pending', 1]), what: 'LOST' };
  expect(judgedWith(denies, [...sound.ledger, lost])).not.toContain(different);
});

test('a call that only the lost ledger has claimed is known where a backup took its place, and two payments are two still', () => {
  const lost = [claimedA, paidA].map((line) => ({ ...line, what: 'LOST' }));
  const restored = { what: 'RESTORED', seq: 1 };
  const after = [
    event(2, 'A', 'paid', ['paid', 'pending', 0], found),
    event(3, 'A', 'reported', ['paid', 'confirmed', 0]),
  ];
  const service = sound.service.filter(isOf('A', 'STATUS'));
  const ledger = [seenA, restored, ...lost, ...after];
  expect(judged({ payer: paidCall, service, ledger })).toEqual([]);
  const [call] = judged({ payer: paidCall, service, ledger: [seenA, restored, ...after] });
  expect(call).toBe('reward A: the payer was called with key key-A, which no claim names');
  const twice = [...paidCall, payment('EFFECT', 'A')];
  expect(judged({ payer: twice, service, ledger })).toEqual(['reward A: its money moved 2 times']);
});

test('a machine may repeat a key while the program of another one runs', () => {
  const overlap = (key: string) => ({ what: 'OVERLAP', reward: 'A', key, pid: 101, beside: 100 });
  const judgedWith = (key: string, more: Partial<Judgement>) =>
    judged({ ...sound, payer: [...sound.payer, overlap(key)] }, { isIdempotent: true, ...more });
  const overlapping = 'reward A: the payer was called while the call of process 100 was under way';
  expect(judgedWith('key-A', { areMachines: true })).not.toContain(overlapping);
  expect(judgedWith('key-A', {})).toContain(overlapping);
  expect(judgedWith('key-A2', { areMachines: true })).toContain(overlapping);
});

test('a restored ledger may keep doubts until a person unfreezes it', () => {
  const after = [
    claimedA,
    event(3, 'A', 'unknown', ['unknown', 'pending', 1]),
    event(4, 'A', 'paid', ['paid', 'pending', 1], found),
  ];
  const doubt = 'reward A: event 3 left it unknown, though the payer honours keys';
  const judgedWith = (restored: LogLine) =>
    judged({ payer: [], service: [], ledger: [seenA, restored, ...after] }, { isIdempotent: true });
  expect(judgedWith({ what: 'RESTORED', seq: 1 })).toContain(doubt);
  expect(judgedWith({ what: 'RESTORED', seq: 1, unfrozenSeq: 3 })).not.toContain(doubt);
});
