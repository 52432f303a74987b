import type { NotedOutcome } from '../../store/runs/run-log.ts';

/** Records that were not accepted, for one reason. */
export interface RefusalReason {
  readonly outcome: string;
  readonly reason: string;
  readonly count: number;
  /** The first of these records. */
  readonly first: readonly NotedOutcome[];
}

/** Limits of distinct reasons and of the records named for each: a page stays small, whatever was pushed. */
const reasonsMaximum = 200;
const firstMaximum = 10;

/**
 * Groups refused records by their reason. Quotations of the record are removed from a reason: they may be about a
 * person, and they would split one reason into many.
 */
export class RefusalReasons {
  readonly #reasons = new Map<string, RefusalReason & { count: number; readonly first: NotedOutcome[] }>();
  readonly #showsQuotes: boolean;

  constructor({ showsQuotes }: { readonly showsQuotes: boolean }) {
    this.#showsQuotes = showsQuotes;
  }

  add(record: NotedOutcome): void {
    const { outcome, error = 'no reason was given' } = record;
    const reason = this.#showsQuotes ? error : withoutQuotes(error, record.originId);
    const kept = this.#reasonOf(outcome, reason);
    kept.count += 1;
    if (kept.first.length < firstMaximum) kept.first.push(record);
  }

  /** The most frequent first. */
  get reasons(): readonly RefusalReason[] {
    return [...this.#reasons.values()].toSorted((a, b) => b.count - a.count);
  }

  #reasonOf(outcome: string, reason: string) {
    const isNew = !this.#reasons.has(`${outcome} ${reason}`);
    const shown = isNew && this.#reasons.size >= reasonsMaximum ? 'other reasons' : reason;
    const key = `${outcome} ${shown}`;
    const kept = this.#reasons.get(key) ?? { outcome, reason: shown, count: 0, first: [] };
    this.#reasons.set(key, kept);
    return kept;
  }
}

const quotes = /'[^']*'|"[^"]*"|`[^`]*`|‘[^‘’]*’|“[^“”]*”|「[^「」]*」/gu;
const addresses = /(?<![^\s@])[^\s@]+@[^\s@]+/gu;
/** Words with a digit, except short numbers such as a status or a limit. */
const codes = /(?<![\p{L}\p{N}_-])(?![1-9]\d{0,2}(?![\p{L}\p{N}_-]))[\p{L}\p{N}_-]*\p{N}[\p{L}\p{N}_-]*/gu;

/** A shorter origin id may be part of any other word; if it has a digit, it is a code. */
const ownLengthMinimum = 3;

/** A reason without its quotations: `productOriginId '…' does not exist`. */
export function withoutQuotes(reason: string, originId: string): string {
  const own = originId.length < ownLengthMinimum ? reason : reason.replaceAll(originId, '…');
  return own.replace(quotes, '‘…’').replace(addresses, '…').replace(codes, '…');
}
