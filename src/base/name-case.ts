/** Converts `batchSize` to the spelling of flags, settings and files: `batch-size`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Reverses `kebabCase`. */
export function camelCase(key: string): string {
  return key.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
