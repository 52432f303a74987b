import { describe, expect, it } from 'vitest';
import { httpAnswer } from '../../src/payer/http-answer.ts';
import { readOutcomeJson, shortened } from '../../src/payer/outcome-json.ts';
import type { PayerAnswer } from '../../src/payer/payer.ts';
import { programAnswer } from '../../src/payer/program-answer.ts';
import type { ProgramEnd } from '../../src/payer/run-payer-program.ts';
import { paymentOf } from './payments.ts';

const call = { payment: paymentOf(), paidStatuses: new Set<number>() };
const body = (outcome: string, message?: string) => JSON.stringify({ outcome, message });
const itself = (status: number, meaning: string, contrary: string) =>
  `the payer contradicts itself: status ${status} is '${meaning}', ${contrary}`;
const strange = "its outcome 'ok' is not one of paid, refused, retry, not-found";

describe('an answer over HTTP says in words why nothing was paid', () => {
  it.each<[status: number, body: string, answer: PayerAnswer]>([
    [200, ' \n', { kind: 'paid' }],
    [200, '{"outcome":"paid","ref":"T1","message":"done"}', { kind: 'paid', ref: 'T1', message: 'done' }],
    [
      200,
      'OK',
      {
        kind: 'ambiguous',
        message:
          'the payer answered 200: OK, which is not a JSON object: ' +
          'leave the body empty or write {"outcome":"paid"}',
      },
    ],
    [200, body('refused'), { kind: 'refused', message: 'the payer answered 200: {"outcome":"refused"}' }],
    [200, body('refused', 'left'), { kind: 'refused', message: 'left' }],
    [200, body('retry', 'busy'), { kind: 'retry', message: 'busy' }],
    [200, body('ok'), { kind: 'ambiguous', message: `the payer answered 200, and ${strange}` }],
    [
      200,
      body('not-found'),
      { kind: 'ambiguous', message: itself(200, 'paid', "its body says 'not-found'") },
    ],
    [199, '', { kind: 'ambiguous', message: 'the payer answered 199' }],
    [299, '', { kind: 'paid' }],
    ...[300, 399].map((status): [number, string, PayerAnswer] => [
      status,
      '',
      {
        kind: 'ambiguous',
        message: `the payer answered ${status}, and redirects are not followed: name the address they lead to`,
      },
    ]),
    [
      302,
      body('refused'),
      {
        kind: 'ambiguous',
        message: 'the payer answered 302, and redirects are not followed: name the address they lead to',
      },
    ],
    [200, '{}', { kind: 'paid' }],
    [400, '', { kind: 'ambiguous', message: 'the payer answered 400' }],
    [400, '{}', { kind: 'ambiguous', message: 'the payer answered 400: {}' }],
    [409, body('paid'), { kind: 'ambiguous', message: 'the payer answered 409: {"outcome":"paid"}' }],
    [500, ' ', { kind: 'ambiguous', message: 'the payer answered 500' }],
    [400, body('refused', 'left'), { kind: 'refused', message: 'left' }],
    [400, body('retry'), { kind: 'retry', message: 'the payer answered 400: {"outcome":"retry"}' }],
    [401, 'no such key', { kind: 'misconfigured', message: 'the payer answered 401: no such key' }],
    [401, body('paid'), { kind: 'ambiguous', message: itself(401, 'not paid', "its body says 'paid'") }],
    [422, body('refused', 'left'), { kind: 'refused', message: 'left' }],
    [422, body('refused'), { kind: 'refused', message: 'the payer answered 422: {"outcome":"refused"}' }],
    [422, '{"done":1}', { kind: 'refused', message: 'the payer answered 422: {"done":1}' }],
    [422, 'left', { kind: 'refused', message: 'the payer answered 422: left' }],
    [422, body('retry'), { kind: 'ambiguous', message: itself(422, 'refused', "its body says 'retry'") }],
    [422, body('ok'), { kind: 'ambiguous', message: itself(422, 'refused', strange) }],
    [429, body('retry', 'busy'), { kind: 'retry', message: 'the payer answered 429: busy' }],
    [429, '{}', { kind: 'retry', message: 'the payer answered 429: {}' }],
    [429, body('paid'), { kind: 'ambiguous', message: itself(429, 'not yet paid', "its body says 'paid'") }],
    [500, body('refused'), { kind: 'ambiguous', message: 'the payer answered 500: {"outcome":"refused"}' }],
    [500, '  <html>', { kind: 'ambiguous', message: 'the payer answered 500' }],
    [500, 'a\n  b', { kind: 'ambiguous', message: 'the payer answered 500: a b' }],
  ])('with %d and %j', (status, text, answer) => {
    expect(httpAnswer({ status, body: text }, call)).toEqual(answer);
  });

  it.each([403, 422, 429])(
    'and a status that was named to mean paid means it, even if it is %d',
    (status) => {
      const answer = { status, body: '' };
      expect(httpAnswer(answer, { ...call, paidStatuses: new Set([status]) })).toEqual({ kind: 'paid' });
    },
  );
});

const exited = (code: number): ProgramEnd => ({ kind: 'exited', code });
const code = (number: number) => `the payer ended with exit code ${number}`;
const itsLine = (number: number, meaning: string, word: string) =>
  `the payer contradicts itself: exit code ${number} is '${meaning}', its last line says '${word}'`;

describe('an answer of a program says in words how it ended', () => {
  it.each<[end: ProgramEnd | undefined, stdout: string, stderr: string, answer: PayerAnswer]>([
    [exited(0), '', 'a warning', { kind: 'paid' }],
    [exited(0), '{}', '', { kind: 'paid' }],
    [exited(0), 'working\n{"outcome":"paid","ref":"T1"}\n\n', '', { kind: 'paid', ref: 'T1' }],
    [
      exited(10),
      '{"outcome":"paid"}\n{"outcome":"refused"}\n',
      'left',
      { kind: 'refused', message: `${code(10)}: left` },
    ],
    [exited(0), body('paid', 'done'), '', { kind: 'paid', message: 'done' }],
    [exited(0), body('refused'), '', { kind: 'refused', message: `${code(0)} after it said 'refused'` }],
    [exited(0), body('refused', 'gone'), 'left', { kind: 'refused', message: 'gone' }],
    [exited(0), body('retry'), 'busy', { kind: 'retry', message: `${code(0)} after it said 'retry': busy` }],
    [exited(0), body('not-found'), '', { kind: 'ambiguous', message: itsLine(0, 'paid', 'not-found') }],
    [exited(0), body('ok'), '', { kind: 'ambiguous', message: `${code(0)}, and ${strange}` }],
    [exited(10), '', '', { kind: 'refused', message: code(10) }],
    [exited(10), '', 'left', { kind: 'refused', message: `${code(10)}: left` }],
    [exited(10), body('refused', 'gone'), 'left', { kind: 'refused', message: 'gone' }],
    [exited(0), "{'outcome': 'refused'}", '', { kind: 'ambiguous', message: expect.any(String) }],
    [exited(75), '{}', '', { kind: 'retry', message: code(75) }],
    [exited(75), body('paid'), '', { kind: 'ambiguous', message: itsLine(75, 'retry', 'paid') }],
    [exited(1), '{}', '', { kind: 'ambiguous', message: code(1) }],
    [exited(1), body('paid'), 'oh', { kind: 'ambiguous', message: `${code(1)} after it said 'paid': oh` }],
    [undefined, '', '', { kind: 'ambiguous', message: 'the payer ended unobserved and reported nothing' }],
    [undefined, body('paid'), '', { kind: 'paid' }],
    [undefined, body('refused', 'left'), '', { kind: 'refused', message: 'left' }],
  ])('for %j after %j and %j', (end, stdout, stderr, answer) => {
    expect(programAnswer({ end, stdout, stderr }, paymentOf())).toEqual(answer);
  });

  it.each<[ProgramEnd, string]>([
    [{ kind: 'killed', signal: 'SIGTERM' }, 'was killed by SIGTERM'],
    [{ kind: 'timed-out' }, 'did not end in time and was killed'],
    [{ kind: 'overflowed' }, 'wrote more than 1 MiB'],
    [{ kind: 'unstoppable' }, 'did not end in time and cannot be killed'],
  ])('for %j, whatever it said before', (end, words) => {
    const answer = (message: string) => ({ kind: 'ambiguous', message: `the payer ${message}` });
    expect(programAnswer({ end, stdout: '', stderr: '' }, paymentOf())).toEqual(answer(words));
    expect(programAnswer({ end, stdout: '', stderr: 'oh' }, paymentOf())).toEqual(answer(`${words}: oh`));
    expect(programAnswer({ end, stdout: body('paid'), stderr: 'oh' }, paymentOf())).toEqual(
      answer(`${words} after it said 'paid': oh`),
    );
  });

  it.each([
    ['EMFILE', 'too many files'],
    [undefined, 'too late'],
  ])('for a program that was not started for %s, whatever is there of its output', (code, message) => {
    const end = { kind: 'not-started', code, message } as const;
    const answer = { kind: 'retry', message: `the payer could not be started: ${message}` };
    expect(programAnswer({ end, stdout: body('paid'), stderr: 'oh' }, paymentOf())).toEqual(answer);
  });
});

describe('an outcome', () => {
  it.each([
    ['', undefined],
    ['7', undefined],
    ['[]', undefined],
    ['{}', { kind: 'nothing' }],
    ['{"outcome":"not-found"}', { kind: 'not-found' }],
    ['{"outcome":"paid","ref":""}', { kind: 'paid' }],
    ['{"outcome":"paid","ref":false,"message":""}', { kind: 'paid' }],
    ['{"outcome":"paid","ref":7,"message":8}', { kind: 'paid', ref: '7', message: '8' }],
    ['{"outcome":"refused","ref":"T1"}', { kind: 'refused' }],
    [
      '{"Outcome":"refused"}',
      { kind: 'unrecognized', message: "it names its outcome 'Outcome' instead of 'outcome'" },
    ],
    [
      '{"outcome":"paid","message":"no \\"outcome\\":\\"refused\\"","outcome":"refused"}',
      {
        kind: 'unrecognized',
        message: "it contradicts itself: it names the outcomes 'paid' and 'refused'",
      },
    ],
    [
      '{"outcome":{"a":1}}',
      {
        kind: 'unrecognized',
        message: `its outcome '{"a":1}' is not one of paid, refused, retry, not-found`,
      },
    ],
  ])('%s is read as %j', (text, outcome) => {
    expect(readOutcomeJson(text, paymentOf())).toEqual(outcome);
  });

  it('has its whole receipt, and a message of 300 characters at most', () => {
    const [ref, message] = ['r'.repeat(1_000), 'm'.repeat(301)];
    expect(readOutcomeJson(JSON.stringify({ outcome: 'paid', ref, message }), paymentOf())).toEqual({
      kind: 'paid',
      ref,
      message: message.slice(1),
    });
  });

  it('in words is one line, and says where it was cut', () => {
    expect(shortened('  a\n\tb  ')).toBe('a b');
    expect(shortened('a'.repeat(300))).toBe('a'.repeat(300));
    expect(shortened('a'.repeat(301))).toBe(`${'a'.repeat(300)}…`);
  });
});
