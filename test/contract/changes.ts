/** One value in place of another, and what was done to it. */
export interface Change<T> {
  readonly title: string;
  readonly value: T;
}

/** How the title of a contract ends in which a schema was only taken apart and put together again. */
export const unchanged = 'put together again';

/** A list of words with one too many, and each of them removed and renamed. */
export function* wordChanges(words: readonly string[]): Generator<Change<readonly string[]>> {
  yield { title: 'a word added', value: [...words, 'FAILED'] };
  for (const [index, word] of words.entries()) {
    yield { title: `${word} removed`, value: words.toSpliced(index, 1) };
    yield { title: `${word} renamed`, value: words.with(index, `${word}_X`) };
  }
}

/** The same changes, each made inside something larger. */
export function* lifted<T, R>(
  prefix: string,
  changes: Iterable<Change<T>>,
  around: (value: T) => R,
): Generator<Change<R>> {
  for (const { title, value } of changes) yield { title: prefix + title, value: around(value) };
}
