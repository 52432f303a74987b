import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { withRetry } from '../../src/client/retry.ts';
import type { Transport, WireReply, WireRequest } from '../../src/contract/wire.ts';
import { lost, refused, replyOf, requestOf, scriptedTransport } from './scripted-transport.ts';
import { SkippingClock } from './skipping-clock.ts';

const ok = replyOf(200);

interface Trial {
  readonly method: WireRequest['method'];
  readonly answers: readonly (WireReply | Error)[];
  readonly retries?: number;
  readonly random?: number;
}

async function attempt({ method, answers, retries = 4, random = 0 }: Trial) {
  const { transport, sent } = scriptedTransport(...answers);
  const clock = new SkippingClock();
  const reasons: string[] = [];
  const retrying = withRetry(transport, {
    retries,
    clock,
    random: () => random,
    onRetry: ({ reason }) => reasons.push(reason),
  });
  const result = await retrying(requestOf(method)).catch((error: unknown) => error);
  return { result, sent, pauses: clock.pauses, reasons };
}

describe('a request that may be repeated', () => {
  it.each([
    ['POST', 'was lost', lost],
    ['POST', 'was 500', replyOf(500)],
    ['POST', 'was 503 with Retry-After', replyOf(503, '', { 'retry-after': '1' })],
    ['POST', 'was a web page', replyOf(200, '<html></html>')],
    ['GET', 'was 404 as a web page', replyOf(404, '<html></html>')],
    ['GET', 'was 103 as a web page', replyOf(103, '<html></html>')],
    ['GET', 'was 204', replyOf(204, '')],
    ['GET', 'was 300 as a web page', replyOf(300, '<html></html>')],
  ] as const)('a %s whose answer %s is sent exactly once', async (method, _, answer) => {
    const { sent, result, pauses } = await attempt({ method, answers: [answer, ok] });
    expect({ sent: sent.length, result, pauses }).toEqual({ sent: 1, result: answer, pauses: [] });
  });

  it.each(['null', '{}', ' [] ', '{"a":[1]}', '[{}]'])(
    'a GET that was answered %s is sent once',
    async (body) => {
      expect((await attempt({ method: 'GET', answers: [replyOf(200, body), ok] })).sent).toHaveLength(1);
    },
  );

  it.each(['', '{', '}', '[', ']', '{]', '[}', ']]', '}}', '[[', 'nul', '<p>{}'])(
    'a GET that was answered %j, which is not JSON, is repeated for that reason',
    async (body) => {
      const { sent, reasons } = await attempt({ method: 'GET', answers: [replyOf(200, body), ok] });
      expect({ sent: sent.length, reasons }).toEqual({ sent: 2, reasons: ['an answer that is not JSON'] });
    },
  );

  it.each([
    ['GET', 'was lost', lost],
    ['PATCH', 'was lost', lost],
    ['PUT', 'was lost', lost],
    ['GET', 'was 500', replyOf(500)],
    ['PATCH', 'was 503', replyOf(503)],
    ['PUT', 'was 408', replyOf(408)],
    ['GET', 'was a web page', replyOf(200, '<html></html>')],
    ['PATCH', 'was empty', replyOf(200, '')],
    ['PUT', 'was cut', replyOf(200, '[{"id":"1"},')],
    ['GET', 'was 429', replyOf(429)],
    ['POST', 'was 429', replyOf(429)],
    ['PATCH', 'was 429', replyOf(429)],
    ['POST', 'cannot exist, since nothing was reached,', refused],
  ] as const)('a %s whose answer %s is sent again, unchanged', async (method, _, answer) => {
    const { sent, result } = await attempt({ method, answers: [answer, ok] });
    expect({ sent, result }).toEqual({ sent: [requestOf(method), requestOf(method)], result: ok });
  });

  it('a POST that was refused first and lost then is not sent a third time', async () => {
    const { sent, result } = await attempt({ method: 'POST', answers: [refused, lost, ok] });
    expect({ sent: sent.length, result }).toEqual({ sent: 2, result: lost });
  });

  it('a PATCH that was lost first may have had its effect, whatever comes then', async () => {
    const last = async (answer: WireReply | Error) =>
      (await attempt({ method: 'PATCH', answers: [refused, lost, replyOf(429), answer] })).result;
    expect(await last(replyOf(422))).toEqual({ ...replyOf(422), isAfterLoss: true });
    expect(await last(refused)).toMatchObject({ message: refused.message, wasSent: true });
  });

  it('nothing is sent again with no retries', async () => {
    const { sent, result } = await attempt({ method: 'GET', answers: [lost, ok], retries: 0 });
    expect({ sent: sent.length, result }).toEqual({ sent: 1, result: lost });
  });

  it('the last answer is handed back when all retries are used', async () => {
    const { sent, result, reasons } = await attempt({ method: 'GET', answers: [replyOf(500)], retries: 3 });
    expect({ sent: sent.length, result, reasons }).toEqual({
      sent: 4,
      result: { ...replyOf(500), isAfterLoss: true },
      reasons: ['status 500', 'status 500', 'status 500'],
    });
  });
});

describe('an answer', () => {
  it.each([
    ['begins', `${' '.repeat(300)}{"id":"${'1'.repeat(300)}"}`],
    ['ends', `{"id":"${'1'.repeat(300)}"}${'\n'.repeat(300)}`],
  ])('a GET whose answer %s with much white space is sent exactly once', async (_, body) => {
    const answer = { ...replyOf(200, body), bytes: Buffer.from(body) };
    const { sent, result } = await attempt({ method: 'GET', answers: [answer, ok] });
    expect({ sent: sent.length, result }).toEqual({ sent: 1, result: answer });
  });

  it('a GET whose many bytes are not JSON is repeated', async () => {
    const body = `{${' '.repeat(1000)}`;
    const answer = { ...replyOf(200, body), bytes: Buffer.from(body) };
    expect((await attempt({ method: 'GET', answers: [answer, ok] })).sent).toHaveLength(2);
  });

  it('an error that is no lost answer rejects the call at once', async () => {
    const error = new Error('given up');
    const { sent, result } = await attempt({ method: 'GET', answers: [error, ok] });
    expect({ sent: sent.length, result }).toEqual({ sent: 1, result: error });
  });
});

describe('pauses', () => {
  const failing = { method: 'GET', answers: [replyOf(500)], retries: 9 } as const;

  it('double from 100 ms to 10 s at most', async () => {
    const { pauses } = await attempt({ ...failing, random: 1 });
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  it('are cut to half of that at most by chance', async () => {
    const { pauses } = await attempt({ ...failing, random: 0 });
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it.each([
    ['seconds', '7', 7000],
    ['seconds with white space', ' 7 ', 7000],
    ['a date', 'Thu, 01 Jan 2026 00:00:09 GMT', 9000],
    ['a date that has passed', 'Wed, 31 Dec 2025 00:00:00 GMT', 50],
    ['less than the own pause', '0', 50],
    ['no time at all', 'soon', 50],
    ['the longest time that is waited', '120', 120_000],
  ])('follow a Retry-After of %s', async (_, header, pauseMs) => {
    const busy = replyOf(429, '', { 'retry-after': header });
    const { pauses, result } = await attempt({ method: 'POST', answers: [busy, ok] });
    expect({ pauses, result }).toEqual({ pauses: [pauseMs], result: ok });
  });

  it.each([
    ['seconds', '121'],
    ['a date', 'Thu, 01 Jan 2026 00:02:01 GMT'],
    ['more digits than a number has', '9'.repeat(400)],
  ])('are not made for a Retry-After of too many %s', async (_, header) => {
    const busy = replyOf(429, '', { 'retry-after': header });
    const { sent, pauses, result } = await attempt({ method: 'GET', answers: [busy, ok] });
    expect({ sent: sent.length, pauses, result }).toEqual({ sent: 1, pauses: [], result: busy });
  });

  it('end at once when the caller gives up', async () => {
    const { transport, sent } = scriptedTransport(replyOf(429, '', { 'retry-after': '100' }), ok);
    const giveUp = new AbortController();
    const onRetry = () => queueMicrotask(() => giveUp.abort(new Error('given up')));
    const retrying = withRetry(transport, { retries: 4, clock: systemClock, random: () => 0, onRetry });
    await expect(retrying(requestOf('GET'), giveUp.signal)).rejects.toThrow('given up');
    expect(sent.length).toBe(1);
  });
});

describe('a run that stops', () => {
  const busy = replyOf(429, '', { 'retry-after': '100' });

  it.each([
    ['answer', busy],
    ['error', refused],
  ])('in a pause gets the last %s at once, and nothing is sent again', async (_, answer) => {
    const { transport, sent } = scriptedTransport(answer, ok);
    const stop = new AbortController();
    const onRetry = () => queueMicrotask(() => stop.abort());
    const options = { retries: 4, clock: systemClock, random: () => 1, stopping: stop.signal, onRetry };
    const retrying = withRetry(transport, options);
    const result = await retrying(requestOf('POST')).catch((error: unknown) => error);
    expect({ sent: sent.length, result }).toEqual({ sent: 1, result: answer });
  });

  it('while a repeated request waits for its turn gets the answer that was lost', async () => {
    const stop = new AbortController();
    const { transport, sent } = scriptedTransport(lost, new Error('stopped'));
    const stopping: Transport = (...request) => {
      if (sent.length === 1) stop.abort();
      return transport(...request);
    };
    const options = { retries: 4, clock: new SkippingClock(), random: () => 0, stopping: stop.signal };
    await expect(withRetry(stopping, options)(requestOf('PATCH'))).rejects.toBe(lost);
  });

  it('before the answer is there gets it without a pause', async () => {
    const stop = new AbortController();
    const clock = new SkippingClock();
    const { transport, sent } = scriptedTransport(busy, ok);
    const stopping: Transport = (...request) => {
      stop.abort();
      return transport(...request);
    };
    const retrying = withRetry(stopping, { retries: 4, clock, random: () => 0, stopping: stop.signal });
    const result = await retrying(requestOf('GET'));
    expect({ sent: sent.length, result, pauses: clock.pauses }).toEqual({
      sent: 1,
      result: busy,
      pauses: [],
    });
  });
});

describe('the budget of retries', () => {
  it('keeps a dead service from meeting many times its usual load', async () => {
    const { transport, sent } = scriptedTransport(replyOf(500));
    const retrying = withRetry(transport, { retries: 4, clock: new SkippingClock(), random: () => 0 });
    for (let call = 0; call < 1000; call += 1) await retrying(requestOf('GET'));
    // 1,000 requests, the 20 initial retries of a run, and half a retry for each request.
    expect(sent.length).toBe(1000 + 20 + 500);
  });

  it('fills up again while all is well, and no further than 100', async () => {
    let status = 200;
    let sent = 0;
    const transport = () => {
      sent += 1;
      return Promise.resolve(replyOf(status));
    };
    const retrying = withRetry(transport, { retries: 20, clock: new SkippingClock(), random: () => 0 });
    for (let call = 0; call < 1000; call += 1) await retrying(requestOf('GET'));
    status = 500;
    sent = 0;
    for (let call = 0; call < 6; call += 1) await retrying(requestOf('GET'));
    expect(sent).toBe(6 + 102);
  });
});
