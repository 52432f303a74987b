import type { EventKind, ReportState } from './ledger.ts';

/*
 * The words of the rows. Seals cover them as they are stored, so a ledger keeps those of its format, and they are
 * translated here alone.
 */

const storedReports = {
  pending: 'open',
  sent: 'told',
  confirmed: 'confirmed',
  conflict: 'conflict',
} as const satisfies Record<ReportState, string>;

const storedKinds = {
  seen: 'seen',
  claimed: 'claimed',
  paid: 'paid',
  refused: 'refused',
  released: 'sent-back',
  'outcome-unknown': 'lost',
  sent: 'told',
  confirmed: 'confirmed',
  conflict: 'conflict',
  resolved: 'resolved',
  imported: 'adopted',
  reversed: 'reversed',
} as const satisfies Record<EventKind, string>;

const reports = inverse(storedReports);
const kinds = inverse(storedKinds);

export function storedReport(report: ReportState): string {
  return storedReports[report];
}

/** @throws Error where no row has such a word. */
export function readReport(stored: string): ReportState {
  return found(reports, stored);
}

export function storedKind(kind: EventKind): string {
  return storedKinds[kind];
}

/** @throws Error where no row has such a word. */
export function readKind(stored: string): EventKind {
  return found(kinds, stored);
}

function inverse<Word extends string>(words: Readonly<Record<Word, string>>): ReadonlyMap<string, Word> {
  return new Map((Object.keys(words) as Word[]).map((word) => [words[word], word]));
}

function found<Word>(words: ReadonlyMap<string, Word>, stored: string): Word {
  const word = words.get(stored);
  if (word === undefined) throw new Error(`no ledger stores the word '${stored}'`);
  return word;
}
