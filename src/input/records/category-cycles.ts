import { refuse } from './cell.ts';
import type { RecordConflict } from './field.ts';

/** A category and its parent. */
export interface CategoryNode {
  readonly originId: string;
  readonly parentOriginId?: string;
}

/** Maximum number of members of a cycle to name in a message. */
const namedMaximum = 10;
/** Maximum number of categories with parents to check; a push accepts no more in one run. */
const childrenMaximum = 100_000;

/** Finds categories whose parents form a cycle, by originId. The first category with an originId applies. */
export async function findCyclicCategories(
  categories: AsyncIterable<CategoryNode>,
): Promise<ReadonlyMap<string, RecordConflict>> {
  const children = new Map<string, CategoryNode>();
  for await (const { originId, parentOriginId } of categories) {
    if (parentOriginId === undefined || children.has(originId)) continue;
    children.set(originId, { originId, parentOriginId });
    if (children.size > childrenMaximum) return new Map();
  }
  const cycles = findCycles(children.values(), ({ parentOriginId = '' }) => children.get(parentOriginId));
  return new Map([...cycles].map(([{ originId }, cycle]) => [originId, cycleConflict(cycle)]));
}

function cycleConflict(cycle: string): RecordConflict {
  const reason = `its parents form a cycle: ${cycle}`;
  const remedy = 'give one of them a parent outside the cycle, or none';
  return { path: 'parentOriginId', refusal: refuse('parent-cycle', reason, remedy) };
}

/** Finds cycles of parents. Maps each category in a cycle, and each descendant of one, to the cycle as text. */
function findCycles<T extends CategoryNode>(
  categories: Iterable<T>,
  parentOf: (category: T) => T | undefined,
): Map<T, string> {
  const cycles = new Map<T, string>();
  const acyclic = new Set<T>();
  for (const category of categories) {
    const path = new Set<T>();
    let at: T | undefined = category;
    while (at !== undefined && !path.has(at) && !acyclic.has(at) && !cycles.has(at)) {
      path.add(at);
      at = parentOf(at);
    }
    if (at === undefined || acyclic.has(at)) {
      for (const step of path) acyclic.add(step);
      continue;
    }
    const steps = [...path];
    const cycle = cycles.get(at) ?? inWords(steps.slice(steps.indexOf(at)));
    for (const step of steps) cycles.set(step, cycle);
  }
  return cycles;
}

function inWords(members: readonly CategoryNode[]): string {
  const [first] = members;
  const named = members.slice(0, namedMaximum).map(({ originId }) => originId);
  const rest = members.length > namedMaximum ? ['…'] : [];
  return [...named, ...rest, first?.originId ?? ''].join(' > ');
}
