import { isJsonObject, type Json } from '../../base/json.ts';
import type { Observation } from '../../store/ledger/ledger.ts';
import { areSameTerms } from './reward-terms.ts';

/*
 * A list that shows one reward several times with different terms does not say what is owed. Such an
 * observation has no amount and no member, and its document is the JSON list of all documents shown.
 */

/** Joins two observations from one list: the later one, unless their terms differ. */
export function joinedObservation(earlier: Observation, later: Observation): Observation {
  if (isContradictory(earlier)) return { ...earlier, atMs: later.atMs, run: later.run };
  if (areSameTerms(earlier, later)) return later;
  const document = `[${earlier.document},${later.document}]`;
  return { ...later, amount: null, memberOriginId: null, document };
}

export function isContradictory({ document }: Pick<Observation, 'document'>): boolean {
  return document.startsWith('[');
}

/** `500 to M1, 900 to M2`. */
export function contradictionInWords({ document }: Observation): string {
  const shown = JSON.parse(document) as readonly Json[];
  return shown.map(termsInWords).join(', ');
}

function termsInWords(reward: Json): string {
  const { amount = null, order = null } = isJsonObject(reward) ? reward : {};
  const member = isJsonObject(order) ? order['memberOriginId'] : null;
  return `${amountText(amount)} to ${typeof member === 'string' ? member : 'no member'}`;
}

function amountText(amount: Json): string {
  return typeof amount === 'string' || typeof amount === 'number' ? String(amount) : 'no amount';
}
