/** Returns a function that calls `make` on first use and caches the result; for values that many runs do not need. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The fields, with functions replaced by their results. */
type MadeOnUse<T> = { readonly [Name in keyof T]: T[Name] extends () => infer Made ? Made : T[Name] };

/** The same fields, each computed on first access. */
export function madeOnUse<const T extends object>(fields: T): MadeOnUse<T> {
  const made = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    { enumerable: true, ...(typeof value === 'function' ? { get: () => value() } : { value }) },
  ]);
  return Object.create(Object.prototype, Object.fromEntries(made));
}
