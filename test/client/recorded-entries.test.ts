import { describe, expect, it, test } from 'vitest';
import { harEntry } from '../../src/client/har-entry.ts';
import { type RecordedExchange, withRecord } from '../../src/client/record.ts';
import { createPersonRedactor } from '../../src/client/redact-persons.ts';
import type { WireReply, WireRequest } from '../../src/contract/wire.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { lost, replyOf, requestOf, scriptedTransport } from './scripted-transport.ts';

const plain = (texts: {
  readonly path: string;
  readonly asked: string | undefined;
  readonly answered: string | undefined;
}) => texts;
const request: WireRequest = {
  operation: 'createProduct',
  isRepeatable: false,
  method: 'POST',
  path: '/admin/v2/product?a=1&b=%EA%B0%80',
  headers: { accept: 'application/json', authorization: 'Basic c2VjcmV0' },
  body: '{"name":"가"}',
};
const exchange: RecordedExchange = {
  request,
  startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  tookMs: 42,
  reply: replyOf(201, '{"id":"가"}', {
    'content-type': 'application/json',
    date: 'now',
    location: '/x?name=Kim',
    'x-request-id': '7',
  }),
};

describe('an exchange is an entry of HAR', () => {
  test('with all that it says, and no secret of its headers', () => {
    expect(harEntry(exchange, 'https://a.example/shop', plain)).toEqual({
      startedDateTime: '2026-01-02T03:04:05.678Z',
      time: 42,
      request: {
        method: 'POST',
        url: 'https://a.example/shop/admin/v2/product?a=1&b=%EA%B0%80',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headersSize: -1,
        headers: [
          { name: 'accept', value: 'application/json' },
          { name: 'authorization', value: '[redacted]' },
        ],
        queryString: [
          { name: 'a', value: '1' },
          { name: 'b', value: '가' },
        ],
        postData: { mimeType: 'application/json', text: '{"name":"가"}' },
        bodySize: 14,
      },
      response: {
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headersSize: -1,
        status: 201,
        statusText: '',
        headers: [
          { name: 'content-type', value: 'application/json' },
          { name: 'date', value: 'now' },
          { name: 'location', value: '[redacted]' },
          { name: 'x-request-id', value: '7' },
        ],
        content: { size: 12, mimeType: 'application/json', text: '{"id":"가"}' },
        redirectURL: '',
        bodySize: 12,
      },
      cache: {},
      timings: { send: 0, wait: 42, receive: 0 },
      _operation: 'createProduct',
    });
  });

  test('without a body where none was sent, and without a text where that is left out', () => {
    const removed = (texts: { readonly path: string }) => ({
      ...texts,
      asked: undefined,
      answered: undefined,
    });
    const entry = harEntry({ ...exchange, reply: replyOf(502, '<p>', {}) }, 'https://a.example', removed);
    expect(entry).toMatchObject({
      request: { postData: { text: '' } },
      response: {
        content: { size: 3, mimeType: '', comment: 'left out: no JSON, so it may hold anything' },
      },
    });
    const bare = harEntry(
      { ...exchange, request: requestOf('GET'), reply: replyOf(204, '') },
      'https://a.example',
      plain,
    );
    expect(bare).toMatchObject({
      request: { bodySize: 0, queryString: [] },
      response: { content: { size: 0, mimeType: '', text: '' } },
    });
    expect(bare).not.toHaveProperty('request.postData');
    const empty = harEntry({ ...exchange, reply: replyOf(204, '') }, 'https://a.example', removed);
    expect(empty).not.toHaveProperty('response.content.comment');
  });
});

describe('an exchange of a recording', () => {
  test('is of status 0 with the reason where no reply came', () => {
    expect(
      harEntry({ ...exchange, reply: 'the connection broke' }, 'https://a.example', plain),
    ).toMatchObject({
      response: {
        status: 0,
        statusText: '',
        headers: [],
        content: { size: 0, mimeType: '' },
        redirectURL: '',
        bodySize: -1,
        comment: 'the connection broke',
      },
    });
  });

  it.each([
    ...['allow', 'connection', 'content-encoding', 'content-length', 'keep-alive', 'retry-after', 'server'],
    ...['transfer-encoding', 'via'],
  ])('has its header %s, which says nothing of persons', (name) => {
    const entry = harEntry(
      { ...exchange, reply: replyOf(200, '{}', { [name]: 'v' }) },
      'https://a.example',
      plain,
    );
    expect(entry).toMatchObject({ response: { headers: [{ name, value: 'v' }] } });
  });
});

describe('every attempt is recorded', () => {
  async function recorded(answer: WireReply | Error) {
    const clock = new ManualClock();
    const exchanges: RecordedExchange[] = [];
    const { transport } = scriptedTransport(answer);
    const slow: typeof transport = (...asked) => {
      clock.advance(7.4);
      return transport(...asked);
    };
    const startedAtMs = clock.now();
    const result = await withRecord(slow, clock, (each) => exchanges.push(each))(request).catch(
      (error: unknown) => error,
    );
    return { exchanges, result, startedAtMs };
  }

  test('with its reply', async () => {
    const reply = replyOf(200);
    const { exchanges, result, startedAtMs } = await recorded(reply);
    expect({ exchanges, result }).toEqual({
      exchanges: [{ request, startedAtMs, tookMs: 7, reply }],
      result: reply,
    });
  });

  test('with the reason where none came', async () => {
    const { exchanges, result } = await recorded(lost);
    expect(exchanges).toMatchObject([{ tookMs: 7, reply: lost.message }]);
    expect(result).toBe(lost);
  });
});

describe('personal data is replaced', () => {
  const hidden = expect.stringMatching(/^person-[0-9a-f]{12}$/);
  const bodyOf = (asked: unknown) => {
    const { asked: text } = createPersonRedactor()({
      path: '/',
      asked: JSON.stringify(asked),
      answered: undefined,
    });
    return JSON.parse(text ?? '');
  };

  test('field by field, numbers too, and nothing else', () => {
    expect(
      bodyOf({
        id: '7',
        memberOriginId: 'm1',
        buyer: { name: '김하늘', phone: 1_012_345_678, email: null, age: true, tags: ['a'] },
        items: [{ originId: 'I1', status: 'RETURN', shipment: { trackingNumber: '99' } }],
        undocumented: 'x',
        text: '',
      }),
    ).toEqual({
      id: '7',
      memberOriginId: hidden,
      buyer: { name: hidden, phone: hidden, email: null, age: true, tags: [hidden] },
      items: [{ originId: 'I1', status: 'RETURN', shipment: { trackingNumber: hidden } }],
      undocumented: hidden,
      text: '',
    });
  });

  test('by equal words where it is equal, and by others with another key', () => {
    const { buyer, recipient } = bodyOf({ buyer: { name: 'Kim' }, recipient: { name: 'Kim' } });
    expect(buyer).toEqual(recipient);
    expect(bodyOf({ buyer: { name: 'Kim' } }).buyer).not.toEqual(buyer);
  });

  test('in the query of the path, each in its notation', () => {
    const { path } = createPersonRedactor()({
      path: '/admin/v2/reviews?orderName=%EA%B9%80+a&memberOriginIds=1&text[]=x&first=5&title=%',
      asked: undefined,
      answered: undefined,
    });
    expect(path).toMatch(
      /^\/admin\/v2\/reviews\?orderName=person-\w{12}&memberOriginIds=.+&text\[\]=person-\w{12}&first=5&title=person-\w{12}$/,
    );
  });

  test('but for a parameter without a value, which stays as it is', () => {
    const path = '/admin/v2/reviews?orderName&first=5';
    expect(createPersonRedactor()({ path, asked: undefined, answered: undefined }).path).toBe(path);
  });
});

describe('personal data that a message quotes is replaced', () => {
  test('wherever it was asked for or answered', () => {
    const { answered } = createPersonRedactor()({
      path: '/admin/v2/orders?orderName=Lee%20Sun',
      asked: JSON.stringify({ buyer: { name: 'Kim Ha', email: 'kim' } }),
      answered: JSON.stringify({
        detail: [
          { loc: ['body', 'buyer'], msg: 'Kim Ha and kim and Lee Sun are unknown', type: 'value_error' },
          {
            loc: ['body'],
            msg: 'write to a.b+c@shop.example.com or 010-1234-5678, +82 10 1234 5678',
            type: 'x',
          },
        ],
      }),
    });
    const { detail } = JSON.parse(answered ?? '');
    expect(detail[0]).toEqual({
      loc: ['body', 'buyer'],
      msg: expect.stringMatching(/^person-\w{12} and person-\w{12} and person-\w{12} are unknown$/),
      type: 'value_error',
    });
    expect(detail[1].msg).toMatch(/^write to person-\w{12} or person-\w{12}, (?:\+82 )?person-\w{12}$/);
  });

  test('the longest first, and not where it is a single character', () => {
    const { answered } = createPersonRedactor()({
      path: '/',
      asked: JSON.stringify({ buyer: { name: 'Kim', email: 'Kim Ha', phone: 'a' } }),
      answered: JSON.stringify({ message: 'a man called Kim Ha, not Kim' }),
    });
    expect(JSON.parse(answered ?? '').message).toMatch(/^a man called person-\w{12}, not person-\w{12}$/);
  });

  it.each([
    ['no JSON', '<p>Kim</p>'],
    ['too deep', `${'['.repeat(2000)}${']'.repeat(2000)}`],
  ])('by leaving out a body that is %s', (_, text) => {
    expect(createPersonRedactor()({ path: '/', asked: text, answered: `\ufeff{"id":"1"}` })).toEqual({
      path: '/',
      asked: undefined,
      answered: '{"id":"1"}',
    });
  });
});
