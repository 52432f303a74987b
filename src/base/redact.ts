/** Headers whose values never leave the process except on the wire. */
const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
]);

/** A copy of `headers` that may be shown: secret values become `[redacted]`. */
export function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeaders.has(name.toLowerCase()) ? '[redacted]' : value,
    ]),
  );
}

/** `text` with every occurrence of a known secret replaced; for messages that quote what others said. */
export function redactSecrets(text: string, secrets: Iterable<string>): string {
  let shown = text;
  // The longest first: a secret that begins with another one must not leave its end behind.
  for (const secret of [...secrets].toSorted((a, b) => b.length - a.length)) {
    if (secret.length >= 4) shown = shown.replaceAll(secret, '[redacted]');
  }
  return shown;
}
