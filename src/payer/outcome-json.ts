import {
  areSameNumbers,
  isJsonObject,
  type Json,
  type JsonObject,
  numbersAsWritten,
  parseJson,
} from '../base/json.ts';
import { formatMoney } from '../base/money.ts';
import type { Payment } from './payer.ts';

/** The outcome in a payer's output, besides its exit code or status. */
export type OutcomeJson =
  | { readonly kind: 'paid'; readonly ref?: string; readonly message?: string }
  | { readonly kind: 'refused'; readonly message?: string }
  | { readonly kind: 'retry' | 'not-found'; readonly message?: string }
  /** An outcome outside the protocol. */
  | { readonly kind: 'unrecognized'; readonly message: string }
  /** It names another payment, so none of it applies to ours. */
  | { readonly kind: 'foreign'; readonly message: string; readonly claimsPaid: boolean }
  /** JSON without an outcome. */
  | { readonly kind: 'nothing' };

export const outcomeWords = ['paid', 'refused', 'retry', 'not-found'] as const;
export type OutcomeWord = (typeof outcomeWords)[number];

const messageLengthMaximum = 300;
/** Matches all outcomes: of members with the same name, JSON keeps only the last. */
const outcomeNamed = new RegExp(`"outcome"\\s*:\\s*"(${outcomeWords.join('|')})"`, 'g');

/**
 * Reads `{"outcome","ref","message"}`; undefined for text that is not a JSON object. If it names a key, a reward or an
 * amount, they must be those of `payment`: a proxy may replay the answer to another payment.
 */
export function readOutcomeJson(text: string, payment: Payment): OutcomeJson | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const { outcome, ref, message } = value;
  const difference = differenceFrom(payment, value);
  if (difference !== undefined) {
    return {
      kind: 'foreign',
      message: `its answer is for another payment: ${difference}`,
      claimsPaid: outcome === 'paid',
    };
  }
  if (outcome === undefined) {
    const other = Object.keys(value).find((name) => name.toLowerCase() === 'outcome');
    return other === undefined
      ? { kind: 'nothing' }
      : { kind: 'unrecognized', message: `it names its outcome ${quoted(other)} instead of 'outcome'` };
  }
  const kind = outcomeWords.find((word) => word === outcome);
  if (kind === undefined) {
    return {
      kind: 'unrecognized',
      message: `its outcome ${quoted(outcome)} is not one of ${outcomeWords.join(', ')}`,
    };
  }
  const named = outcomesNamedIn(text);
  if (named.size > 1) {
    const list = [...named].join("' and '");
    return { kind: 'unrecognized', message: `it contradicts itself: it names the outcomes '${list}'` };
  }
  const words = shortText(message, messageLengthMaximum);
  const explained = words === undefined ? {} : { message: words };
  if (kind !== 'paid' || typeof ref !== 'string' || ref === '') return { kind, ...explained };
  return { kind, ref, ...explained };
}

/** The different outcomes that a text names, in any JSON within it. */
export function outcomesNamedIn(text: string): ReadonlySet<string | undefined> {
  return new Set(Array.from(text.matchAll(outcomeNamed), ([, word]) => word));
}

/** Foreign text as one short line for a message. */
export function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > messageLengthMaximum ? `${line.slice(0, messageLengthMaximum)}…` : line;
}

/** Parses an object with numbers as text: a receipt may be a number with more digits than JavaScript keeps. */
function parseObject(text: string): JsonObject | undefined {
  // Trimming removes a byte order mark, which JSON does not allow.
  const written = text.trim();
  const value = parseJson(written);
  if (!isJsonObject(value)) return undefined;
  const numbers = numbersAsWritten(written);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'number' ? numbers.get(name) : member,
    ]),
  );
}

/** The first member that names another payment: `id 'c0', not 'c1'`. */
function differenceFrom({ rewardId, key, amount }: Payment, answer: JsonObject): string | undefined {
  const ours = { id: rewardId, rewardId, key, amount: formatMoney(amount) };
  for (const [name, own] of Object.entries(ours)) {
    const named = answer[name];
    if (named === undefined || named === null || named === own) continue;
    if (name === 'amount' && typeof named === 'string' && areSameNumbers(named, own)) continue;
    return `${name} ${quoted(named)}, not ${quoted(own)}`;
  }
  return undefined;
}

function shortText(value: Json | undefined, lengthMaximum: number): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, lengthMaximum) : undefined;
}

function quoted(value: Json): string {
  return `'${shortened(typeof value === 'string' ? value : JSON.stringify(value))}'`;
}
