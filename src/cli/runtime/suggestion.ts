import { nearestName } from '../../base/nearest-name.ts';

/** `did you mean orders? ` for a word that is close to a known one, to begin a hint with; else empty. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = nearestName(word, known);
  return meant === undefined ? '' : `did you mean ${meant}? `;
}
