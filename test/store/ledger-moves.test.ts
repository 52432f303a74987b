import { expect, test } from 'vitest';
import type { EventKind, PaymentState, ReportState } from '../../src/store/ledger/ledger.ts';
import {
  invalidTransition,
  type Move,
  postingOf,
  type Summary,
} from '../../src/store/ledger/ledger-invariants.ts';

/*
 * Every move that a ledger accepts, as a reviewed text: a loosened invariant shows in it. Written by `npx vitest run
 * test/store/ledger-moves.test.ts -u`.
 */

const kinds: readonly EventKind[] = [
  'seen',
  'claimed',
  'unknown',
  'paid',
  'refused',
  'released',
  'reported',
  'reversed',
];
const payments: readonly PaymentState[] = ['intended', 'paying', 'unknown', 'paid', 'refused'];
const reports: readonly ReportState[] = ['pending', 'sent', 'confirmed', 'conflict'];

const terms = { key: 'K', amount: 500n, memberOriginId: 'M1' };
const before: Summary = {
  payment: 'paying',
  report: 'pending',
  attempt: 1,
  keyGeneration: 1,
  terms,
  scopes: ['day'],
};

/** Possible changes of the terms, of the key generation, and of the scopes that hold the amount. */
const termsAfter: Readonly<Record<string, Partial<Summary>>> = {
  'the same key': {},
  'another key': { terms: { ...terms, key: 'L' } },
  'another amount': { terms: { ...terms, amount: 900n } },
  'no amount': { terms: { ...terms, amount: 0n } },
  'another member': { terms: { ...terms, memberOriginId: 'M2' } },
  'no terms': { terms: null },
  'the next generation': { keyGeneration: 2 },
  'the next generation without terms': { keyGeneration: 2, terms: null },
  'the generation after that without terms': { keyGeneration: 3, terms: null },
  'the generation before without terms': { keyGeneration: 0, terms: null },
};
const scopesAfter: Readonly<Record<string, readonly string[]>> = {
  'no scope': [],
  'its scope': ['day'],
  'one more scope': ['day', 'run'],
};

/** The scopes that make a move valid, if any, with the resulting posting. */
function acceptedWith(move: Move): readonly string[] {
  return Object.entries(scopesAfter).flatMap(([name, scopes]) => {
    const after = { ...move.after, scopes };
    if (invalidTransition({ ...move, after }) !== undefined) return [];
    return `${postingOf(move.kind, move.before, after) ?? 'no posting'} with ${name}`;
  });
}

function movesOf(kind: EventKind): readonly string[] {
  const attempt = before.attempt + (kind === 'claimed' ? 1 : 0);
  return payments.flatMap((from) =>
    payments.flatMap((to) => {
      const ways = reports.flatMap((reportFrom) =>
        reports.flatMap((reportTo) => {
          const ends = { before: { ...before, payment: from, report: reportFrom } };
          const after = { ...before, payment: to, report: reportTo, attempt };
          const accepted = acceptedWith({ kind, ...ends, after });
          return accepted.length === 0 ? [] : `    ${reportFrom} -> ${reportTo}: ${accepted.join(', ')}\n`;
        }),
      );
      return ways.length === 0 ? [] : `  ${from} -> ${to}\n${ways.join('')}`;
    }),
  );
}

test('a ledger accepts these moves of payments and reports, and no others', async () => {
  const text = kinds.map((kind) => `${kind}\n${movesOf(kind).join('')}`);
  await expect(text.join('\n')).toMatchFileSnapshot('../../fixtures/settlement/moves.txt');
});

test('a ledger accepts these changes of a key and its terms, and says why it refuses the others', async () => {
  const text = kinds.flatMap((kind) =>
    payments.flatMap((from) =>
      payments.flatMap((to) => {
        const start = { ...before, payment: from };
        const attempt = before.attempt + (kind === 'claimed' ? 1 : 0);
        const move = { kind, before: start, after: { ...start, payment: to, attempt } };
        if (kind === 'reported' || acceptedWith(move).length === 0) return [];
        const ways = Object.entries(termsAfter).map(([name, change]) => {
          const isAccepted = acceptedWith({ ...move, after: { ...move.after, ...change } }).length > 0;
          const why = invalidTransition({ ...move, after: { ...move.after, ...change } });
          return `  ${name}: ${isAccepted ? 'accepted' : why}\n`;
        });
        return `${kind}, ${from} -> ${to}\n${ways.join('')}`;
      }),
    ),
  );
  await expect(text.join('')).toMatchFileSnapshot('../../fixtures/settlement/key-changes.txt');
});

const unseen: Summary = {
  ...before,
  payment: 'intended',
  attempt: 0,
  keyGeneration: 0,
  terms: null,
  scopes: [],
};

test.each<[why: string | undefined, EventKind, Partial<Summary>]>([
  [undefined, 'seen', {}],
  [undefined, 'paid', { payment: 'paid' }],
  ["'paid' leads from attempt 0 to 1", 'paid', { payment: 'paid', attempt: 1 }],
  ["'seen' leads the report from pending to sent", 'seen', { report: 'sent' }],
  ["'seen' leads from none to paid", 'seen', { payment: 'paid' }],
  ["'paid' leads from none to intended", 'paid', {}],
  ["'claimed' leads from none to paying", 'claimed', { payment: 'paying', attempt: 1, terms }],
  ["'seen' sets terms", 'seen', { terms }],
  ["'seen' changes the scopes", 'seen', { scopes: ['day'] }],
])('of a reward that the ledger does not know it is said: %s', (why, kind, change) => {
  const after = { ...unseen, ...change };
  expect(invalidTransition({ kind, before: undefined, after })).toBe(why);
});
