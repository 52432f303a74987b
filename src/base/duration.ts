const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The longest timer of Node.js, in milliseconds (nearly 25 days); a longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

/**
 * Milliseconds of a duration as typed by users (`250ms`, `30s`, `10m`, `24h`, `7d`, or 0); undefined for other text.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (!match) return undefined;
  const [, amount, unit] = match;
  return Number(amount) * unitMs[unit as keyof typeof unitMs];
}
