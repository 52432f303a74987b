import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceAtomically } from '../../base/atomic-file.ts';
import { isJsonObject } from '../../base/json.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import type { AssumptionName } from '../../contract/assumptions.ts';
import type { AssumptionFinding } from '../../contract/evidence.ts';

/** What is known of an assumption, of the value it had then. */
export interface Learned extends AssumptionFinding {
  readonly value: string;
  /** When it was learned, ISO-8601. */
  readonly at: string;
}

export type LearnedAssumptions = ReadonlyMap<AssumptionName, Learned>;

function learnedPath(folder: string): string {
  return join(folder, 'assumptions.json');
}

/** What was learned in this state folder; nothing where the file is missing or cannot be read: it is learned again. */
export function readLearned(folder: string): LearnedAssumptions {
  const path = learnedPath(folder);
  if (!existsSync(path)) return new Map();
  try {
    const kept: unknown = JSON.parse(readRegularFile(path));
    const entries: [string, unknown][] = Object.entries(isJsonObject(kept) ? kept : {});
    return new Map(entries.filter(isLearned));
  } catch {
    return new Map();
  }
}

function isLearned(entry: [string, unknown]): entry is [AssumptionName, Learned] {
  const [, learned] = entry;
  return (
    isJsonObject(learned) &&
    ['value', 'verdict', 'finding', 'at'].every((name) => typeof learned[name] === 'string')
  );
}

/** Adds to what was learned. Throws what the system throws. */
export function keepLearned(folder: string, learned: LearnedAssumptions): void {
  const all = Object.fromEntries([...readLearned(folder), ...learned]);
  replaceAtomically(learnedPath(folder), `${JSON.stringify(all, undefined, 2)}\n`, 'process');
}
