import { describe, expect, it } from 'vitest';
import { redactSecrets } from '../../src/base/redact.ts';

describe('text that may be shown', () => {
  it.each([
    ['token s3cret$1 and again s3cret$1', ['s3cret$1'], 'token [redacted] and again [redacted]'],
    ['keylonger', ['key1', 'keylonger', 'keyl'], '[redacted]'],
    ['a short one: abc', ['abc', ''], 'a short one: abc'],
    ['nothing known', [], 'nothing known'],
    ['as a piece: a+b/c>d?e=f', ['x:a+b/c>d?e=f=='], 'as a piece: [redacted]'],
    ['cut off: a+b/c>d?e…', ['a+b/c>d?e=f'], 'cut off: [redacted]…'],
    ['on a page: a&#43;b&#x2F;c&gt;d?e=f.', ['a+b/c>d?e=f'], 'on a page: [redacted].'],
    ['in an address: a%2Bb%2fc%3Ed%3Fe%3Df&x=1', ['a+b/c>d?e=f'], 'in an address: [redacted]&x=1'],
    ['in JSON: "a\\u002bb\\/c>d?e=f"', ['a+b/c>d?e=f'], 'in JSON: "[redacted]"'],
    ['a short one: a&#43;b/c', ['a+b/c'], 'a short one: [redacted]'],
    ['one that looks escaped: a%2Bb&gt;c', ['a%2Bb&gt;c'], 'one that looks escaped: [redacted]'],
    ['two of them: 12345678abcdefgh', ['12345678', 'abcdefgh'], 'two of them: [redacted]'],
    ['seven: 1234567 of nine', ['123456789'], 'seven: 1234567 of nine'],
    ['an &unheard; &amp; %zz end', ['a secret of some length'], 'an &unheard; &amp; %zz end'],
  ])('of "%s" has no secret out of %j', (text, secrets, shown) => {
    expect(redactSecrets(text, secrets)).toBe(shown);
  });

  it('never holds eight characters of a secret in a row, wherever a page repeats or cuts it', () => {
    const secret = 'c2VjcmV0OnZlcnkvbG9uZytzZWNyZXQ=';
    const pages = Array.from(
      { length: secret.length },
      (_, at) => `<${secret.slice(at)}|${secret.slice(0, at)}>`,
    );
    const pieces = Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8));
    const shown = pages.map((page) => redactSecrets(page, [secret]));
    expect(shown.filter((page) => pieces.some((piece) => page.includes(piece)))).toEqual([]);
  });
});
