import { readFileSync } from 'node:fs';
import type { Mutation } from './mutations.ts';

/** A mutant that behaves exactly like the source. */
interface Equivalent {
  readonly path: string;
  /** The line of the source where it begins, and the mutated line. */
  readonly line: string;
  readonly becomes: string;
}

/** Mutants of a line in a file, and why they are equivalent. */
interface Excused {
  readonly line: string;
  readonly becomes: readonly string[];
  readonly reason: string;
}

/** The equivalent mutants found by reviewers. */
export function readEquivalents(): readonly Equivalent[] {
  const found: Readonly<Record<string, readonly Excused[]>> = JSON.parse(
    readFileSync('test/mutants/equivalents.json', 'utf8'),
  );
  return Object.entries(found).flatMap(([path, all]) =>
    all.flatMap(({ line, becomes }) => becomes.map((one) => ({ path, line, becomes: one }))),
  );
}

/** Returns a function that is true for these mutants. */
export function knownEquivalents(): (mutant: Change) => boolean {
  const known = new Set(readEquivalents().map(equivalentKey));
  return (mutant) => known.has(equivalentKey(changeOf(mutant)));
}

export function equivalentKey({ path, line, becomes }: Equivalent): string {
  return `${path}\n${line}\n${becomes}`;
}

type Change = Mutation & { readonly path: string };

/** A mutant as reviewers see it: its line before and after, without the line number. */
export function changeOf({ path, start, end, replacement, isStatement }: Change): {
  readonly path: string;
  readonly number: number;
  readonly line: string;
  readonly becomes: string;
} {
  const text = readFileSync(path, 'utf8');
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  const changed = text.slice(from, start) + replacement + text.slice(end, lineEnd);
  return {
    path,
    number: text.slice(0, start).split('\n').length,
    line: oneLine(text.slice(from, text.indexOf('\n', start))),
    becomes: isStatement && oneLine(changed) === '' ? 'nothing' : oneLine(changed),
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
