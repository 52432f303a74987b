/** `work`, done once for each object: most rows of a mutated contract are those of the real one. */
export function oncePer<K extends object, R>(work: (key: K) => R): (key: K) => R {
  const done = new WeakMap<K, { readonly result: R }>();
  return (key) => {
    const known = done.get(key) ?? { result: work(key) };
    done.set(key, known);
    return known.result;
  };
}
