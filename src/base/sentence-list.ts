/** Names as part of a sentence: `a`, `a and b`, `a, b and c`; for alternatives `a, b or c`. */
export function sentenceList(names: readonly string[], word: 'and' | 'or'): string {
  const type = word === 'and' ? 'conjunction' : 'disjunction';
  // British English puts no comma before the last name.
  return new Intl.ListFormat('en-GB', { type }).format(names);
}
