import { isRounded } from '../../src/base/json.ts';

/** The text with 7 for each number that decoding rounds, since the digits of these are kept. */
export function withoutRounded(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (isRounded(token) ? '7' : token));
}
