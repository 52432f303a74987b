import { formatMoney, type Money } from '../../base/money.ts';

/** `1204` as `1,204`. */
export function grouped(count: number): string {
  return inGroups(String(count));
}

/** `12,000`, `1,500.5`. */
export function groupedMoney(amount: Money): string {
  return inGroups(formatMoney(amount));
}

/** Groups a decimal number and removes trailing zeros: `1,500.5` for `1500.50`. Any other text is unchanged. */
export function inGroups(number: string): string {
  const [, sign = '', whole, fraction = ''] = /^(-?)(\d+)(?:\.0+|(\.\d*[1-9])0*)?$/.exec(number) ?? [];
  if (whole === undefined) return number;
  const groups = whole.padStart(Math.ceil(whole.length / 3) * 3).match(/.{3}/g) ?? [];
  return sign + groups.join(',').trimStart() + fraction;
}

/** `no reviews`, `1 review`, `3,400 reviews`, `2 categories`. */
export function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : grouped(count)} ${count === 1 ? noun : pluralOf(noun)}`;
}

function pluralOf(noun: string): string {
  return noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** The last line of a list: `120 of 3,400 reviews`, `120 reviews` if the total is unknown, `no reviews`. */
export function listTotal(shown: number, total: number | null | undefined, noun: string): string {
  if (total === null || total === undefined || total === 0) return counted(shown, noun);
  // Records created while the list was read make it longer than the total reported at its start.
  return `${grouped(shown)} of ${counted(Math.max(shown, total), noun)}`;
}

export interface PushTotal {
  readonly noun: string;
  /** Numbers of records by outcome; outcomes without records are omitted. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly elapsedMs: number;
  /** Set if the records are part of an input: the name of the part, and the number of records of the whole. */
  readonly part?: { readonly name: string; readonly of: number } | undefined;
}

/**
 * The last line of a push: `20,000 order items: 18,000 queued, 1,990 skipped, 10 unknown in 12.3 s`; for a part, `shard
 * 3/8, 20,000 of 160,000 order items: 20,000 queued in 12.3 s`.
 */
export function pushTotal({ noun, outcomes, elapsedMs, part }: PushTotal): string {
  const total = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  if (total === 0) return counted(0, noun);
  const records =
    part === undefined ? counted(total, noun) : `${part.name}, ${listTotal(total, part.of, noun)}`;
  return `${records}: ${countsInWords(outcomes)} in ${elapsedInWords(elapsedMs)}`;
}

/** `18,000 queued, 10 unknown`. */
export function countsInWords(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${grouped(count)} ${word}`)
    .join(', ');
}

const plannedWords: ReadonlyMap<string, string> = new Map([
  ['created', 'to create'],
  ['updated', 'to update'],
  ['queued', 'to send'],
]);

/** The outcomes of a push that has not sent anything yet, in words: `2 to create` instead of `2 created`. */
export function asPlanned(outcomes: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(outcomes).map(([word, count]) => [plannedWords.get(word) ?? word, count]),
  );
}

/** `12.3 s` below a minute, `2 min 5 s` above. */
export function elapsedInWords(elapsedMs: number): string {
  if (elapsedMs < 59_950) return `${(elapsedMs / 1000).toFixed(1)} s`;
  return secondsInWords(Math.round(elapsedMs / 1000));
}

/** `42 s`, `2 min 5 s`. */
export function secondsInWords(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
