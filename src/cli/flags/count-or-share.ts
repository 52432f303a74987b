import * as z from 'zod';
import { textOrNumber } from './flags.ts';

/** A number of records, or a share of all. */
export type CountOrShare =
  | { readonly kind: 'count'; readonly most: number }
  | { readonly kind: 'share'; readonly mostPercent: number };

/** `20` or `1.5%`. */
export const countOrShareValue = () =>
  textOrNumber()
    .pipe(z.string().regex(/^(\d+|\d+(\.\d+)?%)$/, 'expected a number of records, or a share such as 1%'))
    .transform(
      (text): CountOrShare =>
        text.endsWith('%')
          ? { kind: 'share', mostPercent: Number(text.slice(0, -1)) }
          : { kind: 'count', most: Number(text) },
    );

/** True if `count` of `all` exceeds the allowed number or share. */
export function isMoreThan(allowed: CountOrShare, count: number, all: number): boolean {
  return allowed.kind === 'count' ? count > allowed.most : count * 100 > allowed.mostPercent * all;
}

/** `30%`, `20`. */
export function countOrShareText(allowed: CountOrShare): string {
  return allowed.kind === 'count' ? `${allowed.most}` : `${allowed.mostPercent}%`;
}
