import { isRounded } from '../../src/base/json.ts';

/** Replaces each number that decoding would round by 7, because its digits are kept. */
export function withoutRounded(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (isRounded(token) ? '7' : token));
}
