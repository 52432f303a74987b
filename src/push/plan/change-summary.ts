import type { FieldChanges, PlanEntry } from '../steps/outcome.ts';

/** The minimum number of similar changes of a field that deserves a remark. */
const namedFrom = 3;

interface FieldSummary {
  count: number;
  /** Set while all changes lead to the same value. */
  common: string | undefined;
  /** Changes that give a record the value of the previous one, and vice versa. */
  fromBefore: number;
  fromBehind: number;
  last: FieldChanges[string];
}

/** Counts the changes of a plan, and finds suspicious patterns. */
export class ChangeSummary {
  created = 0;
  updated = 0;
  /** Records that exist already, changed or not. */
  known = 0;
  readonly #fields = new Map<string, FieldSummary>();

  add({ outcome: { outcome, changes = {} }, write }: PlanEntry): void {
    if (write !== undefined && outcome !== 'updated') this.created += 1;
    if (outcome === 'updated') this.updated += 1;
    if (outcome === 'updated' || outcome === 'unchanged' || outcome === 'skipped') this.known += 1;
    for (const [field, change] of Object.entries(changes)) this.#addChange(field, change);
  }

  /** Remarks on suspicious changes. */
  get remarks(): readonly string[] {
    const remarks = [...this.#fields].flatMap(([field, summary]) => remarksOf(field, summary));
    const areAllNew = this.known === 0 && this.created >= namedFrom;
    return areAllNew ? [...remarks, `none of the ${this.created} ids is known`] : remarks;
  }

  #addChange(field: string, change: FieldChanges[string]): void {
    const to = JSON.stringify(change.to);
    const summary = this.#fields.get(field);
    if (summary === undefined) {
      this.#fields.set(field, { count: 1, common: to, fromBefore: 0, fromBehind: 0, last: change });
      return;
    }
    const { last } = summary;
    summary.count += 1;
    if (summary.common !== to) summary.common = undefined;
    if (JSON.stringify(last.from) === to) summary.fromBefore += 1;
    if (JSON.stringify(last.to) === JSON.stringify(change.from)) summary.fromBehind += 1;
    summary.last = change;
  }
}

function remarksOf(
  field: string,
  { count, common, fromBefore, fromBehind }: FieldSummary,
): readonly string[] {
  if (count < namedFrom) return [];
  if (common !== undefined) return [`all ${count} changes of ${field} set it to ${common}`];
  const shifted = Math.max(fromBefore, fromBehind);
  // Of n values shifted by a row, the first one has no source.
  return shifted * 2 >= count
    ? [`${shifted + 1} of ${count} values of ${field} are those of the row above or below`]
    : [];
}
