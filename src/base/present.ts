/** Removes the fields whose value is undefined, for types that leave such fields out. */
export function present<T extends object>(fields: { readonly [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
