import type { JournaledKind, KnownRecord } from './push-journal.ts';

/** Kinds as the table of records keeps them: part of its key, which every search compares many times. Files hold these numbers for good. */
export const kindNumbers = {
  category: 1,
  order: 2,
  'order-item': 3,
  'order-item-update': 4,
  product: 5,
} as const satisfies Record<JournaledKind, number>;

/** Fates as it keeps them. */
export const fateNumbers = { accepted: 1, unknown: 2 } as const satisfies Record<KnownRecord['fate'], number>;

/** The SQL that makes of the word in `column` its number; NULL of any other. */
export function numberIn(column: string, numbers: Readonly<Record<string, number>>): string {
  const cases = Object.entries(numbers).map(([word, number]) => `WHEN '${word}' THEN ${number}`);
  return `CASE ${column} ${cases.join(' ')} END`;
}

/** The SQL that makes of the number in `column` its word. */
export function wordIn(column: string, numbers: Readonly<Record<string, number>>): string {
  const cases = Object.entries(numbers).map(([word, number]) => `WHEN ${number} THEN '${word}'`);
  return `CASE ${column} ${cases.join(' ')} END`;
}
