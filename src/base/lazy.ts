/** What `make` gives, made when it is first asked for: for what many runs never need. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Fields whose functions are replaced by their values. */
type MadeOnUse<T> = { readonly [Name in keyof T]: T[Name] extends () => infer Made ? Made : T[Name] };

/** The same fields, where what a function gives is asked for when its field is read. */
export function madeOnUse<const T extends object>(fields: T): MadeOnUse<T> {
  const made = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name,
    { enumerable: true, ...(typeof value === 'function' ? { get: () => value() } : { value }) },
  ]);
  return Object.create(Object.prototype, Object.fromEntries(made));
}
