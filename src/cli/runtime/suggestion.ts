import { nearestName } from '../../base/nearest-name.ts';

/** The start of a hint for a word that is close to a known one: `did you mean orders? `; else empty. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = nearestName(word, known);
  return meant === undefined ? '' : `did you mean ${meant}? `;
}
