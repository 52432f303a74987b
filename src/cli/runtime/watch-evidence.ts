import type { Clock } from '../../base/clock.ts';
import { Failure, systemCodeOf } from '../../base/failure.ts';
import type { HintText } from '../../base/hint.ts';
import { type AssumptionName, type Assumptions, assumedValue } from '../../contract/assumptions.ts';
import type { Evidence } from '../../contract/evidence.ts';
import {
  keepLearned,
  type Learned,
  type LearnedAssumptions,
  readLearned,
} from '../../store/profile/learned-assumptions.ts';

/** What one command sees of the assumptions. */
export interface EvidenceWatch {
  readonly onEvidence: (evidence: Evidence) => void;
  /** Grows as replies come. */
  readonly learned: LearnedAssumptions;
  /** Stores new evidence. `folderOf` creates the folder; it is undefined where nothing may be written. */
  keep(folderOf: (() => string) | undefined): void;
}

interface WatchOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly assumptions: Assumptions;
  /** Called with what refutes an assumption and can be mended, each finding once. */
  readonly warn?: (finding: string, remedy: HintText) => void;
  /** Whether the service was asked in order to find out: then a confirmation outranks an earlier refutation. */
  readonly isAsking?: boolean;
}

/** Gathers what is to be remembered of a command. */
export function watchEvidence({ clock, assumptions, warn, isAsking = false }: WatchOptions): EvidenceWatch {
  const named = new Set<string>();
  const learned = new Map<AssumptionName, Learned>();
  return {
    learned,
    onEvidence: ({ assumption, ...finding }) => {
      const before = learned.get(assumption);
      if (before === undefined || isStronger(finding, before)) {
        const at = new Date(clock.now()).toISOString();
        learned.set(assumption, { value: assumedValue(assumption, assumptions), at, ...finding });
      }
      if (finding.verdict === 'confirmed' || finding.remedy === undefined || named.has(finding.finding))
        return;
      named.add(finding.finding);
      warn?.(finding.finding, finding.remedy);
    },
    keep: (folderOf) => {
      if (learned.size > 0 && folderOf !== undefined) keepNew(folderOf, learned, isAsking);
    },
  };
}

/** A single case refutes, and any number of others does not confirm. */
function isStronger({ verdict }: Pick<Learned, 'verdict'>, before: Pick<Learned, 'verdict'>): boolean {
  return verdict === 'refuted' && before.verdict === 'confirmed';
}

/** What cannot be kept is learned again by the next command; no command fails for it. */
function keepNew(folderOf: () => string, learned: LearnedAssumptions, isAsking: boolean): void {
  try {
    const folder = folderOf();
    const known = readLearned(folder);
    const news = [...learned].filter(([name, finding]) => isNew(finding, known.get(name), isAsking));
    if (news.length > 0) keepLearned(folder, new Map(news));
  } catch (error) {
    if (!(error instanceof Failure) && systemCodeOf(error) === undefined) throw error;
  }
}

function isNew(finding: Learned, known: Learned | undefined, isAsking: boolean): boolean {
  if (known === undefined || known.value !== finding.value || isStronger(finding, known)) return true;
  return isAsking && (known.verdict !== finding.verdict || known.finding !== finding.finding);
}
