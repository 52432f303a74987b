import { describe, expect, it } from 'vitest';
import { parseMoney } from '../../src/base/money.ts';
import type { Payer, PayerAnswer } from '../../src/payer/payer.ts';
import { paymentOf, reward } from './payments.ts';

/** Actions of a payer in the suite when it is called. */
export type Deed =
  | 'pays'
  | 'pays-with-receipt'
  | 'refuses'
  | 'refuses-with-reason'
  | 'asks-for-patience'
  | 'does-not-know-us'
  | 'says-a-strange-outcome'
  | 'contradicts-itself'
  | 'breaks'
  | 'answers-too-late'
  | 'writes-without-end'
  | 'repeats-its-secret'
  | 'is-not-there';

/** A received call: the key outside the document, and the document. */
export interface Arrived {
  readonly key: string | undefined;
  readonly document: string;
}

export interface PayerUnderTest {
  readonly payer: Payer;
  readonly arrived: () => readonly Arrived[];
  /** A secret of the payer that must not be visible to others. */
  readonly secret: string;
}

const meanings: readonly (readonly [Deed, PayerAnswer['kind']])[] = [
  ['pays', 'paid'],
  ['pays-with-receipt', 'paid'],
  ['refuses', 'refused'],
  ['refuses-with-reason', 'refused'],
  ['asks-for-patience', 'retry'],
  ['does-not-know-us', 'misconfigured'],
  ['says-a-strange-outcome', 'ambiguous'],
  ['contradicts-itself', 'ambiguous'],
  ['breaks', 'ambiguous'],
  ['answers-too-late', 'ambiguous'],
  ['writes-without-end', 'ambiguous'],
];

/**
 * The rules for every payer, however it moves money. `open` opens one whose other side does `deed`, and closes it after
 * the test.
 */
export function payerSuite(name: string, open: (deed: Deed) => Promise<PayerUnderTest>): void {
  promiseTimeliness(name, open);
  describe(`${name}: an answer`, () => {
    it.each(meanings)('of a payer that %s means %s', async (deed, kind) => {
      const { payer } = await open(deed);
      expect((await payer.pay(paymentOf())).kind).toBe(kind);
    });

    it('carries the receipt', async () => {
      const { payer } = await open('pays-with-receipt');
      expect(await payer.pay(paymentOf())).toEqual({ kind: 'paid', ref: 'R-17', message: 'done' });
    });

    it('carries the reason of a refusal', async () => {
      const { payer } = await open('refuses-with-reason');
      expect(await payer.pay(paymentOf())).toEqual({ kind: 'refused', message: 'left the shop' });
    });

    it('shows no secret, even where the payer repeats it', async () => {
      const { payer, secret } = await open('repeats-its-secret');
      const shown = JSON.stringify([payer.capabilities, await payer.pay(paymentOf())]);
      expect(shown).toContain('[redacted]');
      expect(shown).not.toContain(secret.slice(0, 8));
    });

    it('of no process means that nothing was paid', async () => {
      const { payer } = await open('is-not-there');
      expect(['retry', 'misconfigured']).toContain((await payer.pay(paymentOf())).kind);
    });
  });

  describe(`${name}: a call`, () => {
    it('brings the reward as documented, with the amount as a number, the key and the member', async () => {
      const { payer, arrived } = await open('pays');
      const payment = paymentOf();
      await payer.pay(payment);
      const [{ key, document } = { key: '', document: '{}' }] = arrived();
      expect(key).toBe(payment.key);
      expect(JSON.parse(document)).toEqual({
        ...reward,
        amount: 1500,
        key: payment.key,
        memberOriginId: 'haneul7',
      });
    });

    it('with the same key brings the same bytes', async () => {
      const { payer, arrived } = await open('pays');
      await payer.pay(paymentOf());
      await payer.pay(paymentOf({ attempt: 2 }));
      const [first, second] = arrived();
      expect(first?.document).toMatch(/^\{.*\}$/);
      expect(second).toEqual(first);
    });

    it.each(['0.1', '99999999999.9999', '1', '12345.67'])(
      'brings an amount of %s exactly',
      async (amount) => {
        const { payer, arrived } = await open('pays');
        await payer.pay(paymentOf({ amount: parseMoney(amount) ?? 0n }));
        expect(arrived()[0]?.document).toContain(`"amount":${amount},`);
      },
    );

    it('that is forgotten leaves nothing behind', async () => {
      const { payer } = await open('pays');
      const { key } = paymentOf();
      await payer.pay(paymentOf());
      await payer.forget(key);
      expect(await payer.recoveredOutcome(paymentOf())).toEqual({ kind: 'none' });
    });

    it('that never was has no record', async () => {
      const { payer } = await open('pays');
      expect(await payer.recoveredOutcome(paymentOf({ attempt: 3 }))).toEqual({ kind: 'none' });
    });
  });
}

function promiseTimeliness(name: string, open: (deed: Deed) => Promise<PayerUnderTest>): void {
  describe(`${name}: a payment`, () => {
    it('that may not leave any more, in the last instant before it would, never arrives', async () => {
      const { payer, arrived } = await open('pays');
      const asked: string[] = [];
      const answer = await payer.pay(paymentOf(), () => {
        asked.push('once');
        return false;
      });
      expect(answer.kind).toBe('retry');
      expect(['none', 'ended']).toContain((await payer.recoveredOutcome(paymentOf())).kind);
      expect(asked).toEqual(['once']);
      await payer.close();
      expect(arrived()).toEqual([]);
    });
  });
}
