import { describe, expect, it } from 'vitest';
import { redactHeaders, redactSecrets } from '../../src/base/redact.ts';

describe('what may be shown', () => {
  it('has no secret header, however it is written', () => {
    expect(
      redactHeaders({
        Authorization: 'Basic abc',
        'PROXY-authorization': 'Basic abc',
        cookie: 'a=1',
        'Set-Cookie': 'a=1',
        accept: 'application/json',
      }),
    ).toEqual({
      Authorization: '[redacted]',
      'PROXY-authorization': '[redacted]',
      cookie: '[redacted]',
      'Set-Cookie': '[redacted]',
      accept: 'application/json',
    });
  });

  it.each([
    ['token s3cret$1 and again s3cret$1', ['s3cret$1'], 'token [redacted] and again [redacted]'],
    ['keylonger', ['key1', 'keylonger', 'keyl'], '[redacted]'],
    ['a short one: abc', ['abc', ''], 'a short one: abc'],
    ['nothing known', [], 'nothing known'],
  ])('of "%s" has no secret out of %j', (text, secrets, shown) => {
    expect(redactSecrets(text, secrets)).toBe(shown);
  });
});
