import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { lookupProgram } from '../../src/payer/lookup-program.ts';
import { findPayerProgram } from '../../src/payer/payer-program.ts';
import { copiedPayers } from './copied-payers.ts';
import { fakeMall } from './fake-mall.ts';
import { paymentOf } from './payments.ts';
import { execPayer, testFolder, textAt } from './programs.ts';

const folder = copiedPayers();
const { PATH } = process.env;

async function cafe24() {
  const mall = await fakeMall('a-token');
  const env = { PATH, CAFE24_URL: mall.url, CAFE24_TOKEN: 'a-token' };
  const passedVariables = ['CAFE24_URL', 'CAFE24_TOKEN'];
  const payer = await execPayer({ command: join(folder, 'cafe24-pay.mjs'), env, passedVariables });
  const program = findPayerProgram({
    command: join(folder, 'cafe24-lookup.mjs'),
    flag: 'payer-lookup-command',
    env,
    passedVariables,
  });
  const lookUp = lookupProgram({ program, timeoutMs: 20_000, secrets: [] });
  return { mall, payer, lookUp };
}

describe('the example for a Cafe24 mall', () => {
  it('pays, and finds what it has paid', async () => {
    const { mall, payer, lookUp } = await cafe24();
    expect(await lookUp(paymentOf())).toEqual({ kind: 'not-found' });
    expect(await payer.pay(paymentOf())).toEqual({ kind: 'paid', ref: 'review reward 4711' });
    expect(await lookUp(paymentOf())).toEqual({ kind: 'paid', ref: 'review reward 4711' });
    expect(mall.points).toEqual([
      {
        member_id: 'haneul7',
        order_id: '20261028-0000024',
        amount: '1500.00',
        type: 'increase',
        reason: 'review reward 4711',
      },
    ]);
  });

  it.each([
    ['pays-and-times-out', 'ambiguous', 'paid'],
    ['times-out', 'ambiguous', 'not-found'],
    ['knows-no-such-member', 'refused', 'not-found'],
    ['knows-no-such-token', 'retry', 'not-found'],
  ] as const)('by a mall that %s answers %s, and its lookup %s', async (mood, answer, found) => {
    const { mall, payer, lookUp } = await cafe24();
    mall.setMood(mood);
    expect((await payer.pay(paymentOf())).kind).toBe(answer);
    mall.setMood('pays');
    expect((await lookUp(paymentOf())).kind).toBe(found);
  });

  it('pays nothing that the books show already', async () => {
    const { mall, payer } = await cafe24();
    await payer.pay(paymentOf());
    const again = await payer.pay(paymentOf({ attempt: 2 }));
    expect(again.kind).toBe('paid');
    expect(mall.points.length).toBe(1);
  });

  it.each([0n, 10_000_010_000n])(
    'refuses %d ten-thousandths of a point without asking the mall',
    async (amount) => {
      const { mall, payer } = await cafe24();
      expect((await payer.pay(paymentOf({ amount }))).kind).toBe('refused');
      expect(mall.requests).toEqual([]);
    },
  );

  it('decides nothing where the books cannot be read', async () => {
    const { mall, lookUp } = await cafe24();
    mall.setMood('knows-no-such-token');
    expect((await lookUp(paymentOf())).kind).toBe('undecided');
  });
});

describe('the smallest example', () => {
  it('pays a key once and gives the same receipt each time', async () => {
    const file = join(testFolder(), 'paid.ndjson');
    const payer = await execPayer({
      command: join(folder, 'minimal.sh'),
      env: { PATH, POINTS_FILE: file },
      passedVariables: ['POINTS_FILE'],
    });
    const answers = [];
    for (const [key, attempt] of [
      ['rv1-a', 1],
      ['rv1-b', 1],
      ['rv1-a', 2],
    ] as const) {
      answers.push(await payer.pay(paymentOf({ key, attempt })));
    }
    expect(answers).toEqual([
      { kind: 'paid', ref: 'line 1' },
      { kind: 'paid', ref: 'line 2' },
      { kind: 'paid', ref: 'line 1' },
    ]);
    expect((await payer.pay(paymentOf({ key: 'rv1-c', amount: 0n }))).kind).toBe('refused');
    expect(textAt(file).split('\n').length).toBe(3);
  });
});

async function loggingPayer(settings: Readonly<Record<string, string>>, timeoutMs = 20_000) {
  const log = join(testFolder(), 'log');
  const env = { PATH, PAYER_LOG: log, ...settings };
  const passedVariables = Object.keys(env).filter((name) => name !== 'PATH');
  const payer = await execPayer({
    command: join(folder, 'logging-payer.mjs'),
    env,
    passedVariables,
    timeoutMs,
  });
  const logged = () =>
    textAt(log)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).what);
  return { payer, logged };
}

describe('the payer for campaigns', () => {
  it.each([
    ['', 'paid', ['CALL', 'EFFECT', 'ANSWER']],
    ['refuse', 'refused', ['CALL', 'ANSWER']],
    ['retry', 'retry', ['CALL', 'ANSWER']],
    ['crash-before', 'ambiguous', ['CALL']],
    ['crash-after', 'ambiguous', ['CALL', 'EFFECT']],
    ['silent', 'ambiguous', ['CALL', 'EFFECT']],
    ['lie', 'paid', ['CALL', 'ANSWER']],
    ['contradict', 'ambiguous', ['CALL', 'EFFECT', 'ANSWER']],
  ])('with the fault "%s" answers %s after %j', async (fault, kind, what) => {
    const { payer, logged } = await loggingPayer({ PAYER_FAULTS: `${fault}=1` });
    expect((await payer.pay(paymentOf())).kind).toBe(kind);
    expect(logged()).toEqual(what);
  });

  it('pays late where its input says so, after it has failed', async () => {
    const { payer, logged } = await loggingPayer({ PAYER_FAULTS: 'late=1', PAYER_LATE_MS: '300' });
    expect((await payer.pay(paymentOf())).kind).toBe('ambiguous');
    expect(logged()).toEqual(['CALL']);
    await vi.waitFor(() => expect(logged()).toEqual(['CALL', 'EFFECT']), { timeout: 10_000 });
  });

  it('pays a key once where it is idempotent, and twice where it is not', async () => {
    for (const [isIdempotent, effects] of [
      ['1', 1],
      ['0', 2],
    ] as const) {
      const { payer, logged } = await loggingPayer({ PAYER_IDEMPOTENT: isIdempotent });
      const first = await payer.pay(paymentOf());
      expect(await payer.pay(paymentOf({ attempt: 2 }))).toEqual(first);
      expect(logged().filter((what) => what === 'EFFECT').length).toBe(effects);
    }
  });
});
