/** Caches the result of `work` per object, because a mutated contract shares most rows with the real one. */
export function oncePer<K extends object, R>(work: (key: K) => R): (key: K) => R {
  const done = new WeakMap<K, { readonly result: R }>();
  return (key) => {
    const known = done.get(key) ?? { result: work(key) };
    done.set(key, known);
    return known.result;
  };
}
