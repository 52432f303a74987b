/** A changed value, with a title that describes the change. */
export interface Change<T> {
  readonly title: string;
  readonly value: T;
}

/** The end of a title if a schema was only decomposed and rebuilt. */
export const unchanged = 'put together again';

/** Changes a list of words: adds one, removes each, renames each. */
export function* wordChanges(words: readonly string[]): Generator<Change<readonly string[]>> {
  yield { title: 'a word added', value: [...words, 'FAILED'] };
  for (const [index, word] of words.entries()) {
    yield { title: `${word} removed`, value: words.toSpliced(index, 1) };
    yield { title: `${word} renamed`, value: words.with(index, `${word}_X`) };
  }
}

/** The same changes inside a larger value. */
export function* lifted<T, R>(
  prefix: string,
  changes: Iterable<Change<T>>,
  around: (value: T) => R,
): Generator<Change<R>> {
  for (const { title, value } of changes) yield { title: prefix + title, value: around(value) };
}
