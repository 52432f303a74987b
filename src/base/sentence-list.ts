/** Names in a sentence: `a`, `a and b`, `a, b and c`; as alternatives `a, b or c`. */
export function sentenceList(names: readonly string[], word: 'and' | 'or'): string {
  const type = word === 'and' ? 'conjunction' : 'disjunction';
  // British English has no comma before the last name.
  return new Intl.ListFormat('en-GB', { type }).format(names);
}
