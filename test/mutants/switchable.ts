import type { Mutation } from './mutations.ts';

export interface NumberedMutation extends Mutation {
  readonly id: number;
}

/**
 * The source with all these mutations, each active only while `isMutant(id)` is true. Lines keep their numbers. With
 * one text for all mutants, modules are loaded only once.
 */
export function switchable(text: string, mutations: readonly NumberedMutation[]): string {
  const lookup = 'const $isMutant = globalThis[Symbol.for("reviewctl.mutants")] ?? (() => false);';
  return lookup + render(text, { start: 0, end: text.length }, rangesOf(mutations));
}

/** All mutations of one part of the text. */
interface Range {
  readonly start: number;
  readonly end: number;
  readonly mutations: readonly NumberedMutation[];
}

/** The ranges from left to right, outer ones before inner ones. */
function rangesOf(mutations: readonly NumberedMutation[]): readonly Range[] {
  const byPlace = new Map<string, Range>();
  for (const mutation of mutations) {
    const { start, end } = mutation;
    const place = `${start} ${end}`;
    byPlace.set(place, { start, end, mutations: [...(byPlace.get(place)?.mutations ?? []), mutation] });
  }
  return [...byPlace.values()].toSorted((one, other) => one.start - other.start || other.end - one.end);
}

function render(
  text: string,
  { start, end }: Pick<Range, 'start' | 'end'>,
  ranges: readonly Range[],
): string {
  let at = start;
  let rendered = '';
  for (const range of outermost(ranges)) {
    const inner = ranges.filter((other) => other !== range && isWithin(other, range));
    rendered += text.slice(at, range.start) + wrapped(range, render(text, range, inner));
    at = range.end;
  }
  return rendered + text.slice(at, end);
}

function outermost(ranges: readonly Range[]): readonly Range[] {
  let end = 0;
  return ranges.filter((range) => {
    const isOuter = range.start >= end;
    if (isOuter) end = range.end;
    return isOuter;
  });
}

function isWithin(inner: Range, outer: Range): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

function wrapped({ mutations }: Range, text: string): string {
  const [first] = mutations;
  if (first?.isStatement === true) return `{ if (!$isMutant(${first.id})) ${text} }`;
  const choices = mutations.map(({ id, replacement }) => `$isMutant(${id}) ? (${replacement}) : `);
  return `(${choices.join('')}(${text}))`;
}
