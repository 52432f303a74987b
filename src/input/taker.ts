import { isFilled } from './cells/filled.ts';
import { withoutFormula } from './cells/formula-protected.ts';
import type { Columns } from './columns.ts';
import type { Source, TemplatePart } from './mapping.ts';
import type { Cell } from './place.ts';

/** The cell of a row; `position` is the number of the row within its order, from 1. */
export type Taker = (cells: readonly Cell[], position: number) => Cell;

/** How to take what a source speaks of from a row. */
export function takerOf(source: Source, columns: Columns): Taker {
  switch (source.kind) {
    case 'constant':
      return () => source.value;
    case 'column': {
      const column = columns.find(source.name);
      return (cells) => withoutFormula(cells[column]);
    }
    case 'template':
      return templateTaker(source.parts.map((part) => partTaker(part, columns)));
  }
}

function partTaker(part: TemplatePart, columns: Columns): Taker {
  switch (part.kind) {
    case 'text':
      return () => part.text;
    case 'counter':
      return (_cells, position) => String(position);
    case 'columns': {
      const found = part.names.map((name) => columns.find(name));
      return (cells) => {
        const cell = found.map((column) => withoutFormula(cells[column])).find(isFilled);
        return typeof cell === 'string' ? cell.trim() : cell;
      };
    }
  }
}

/** Joins the parts; blank where one of them is. What is no text stays what it is, for the field to refuse. */
function templateTaker(parts: readonly Taker[]): Taker {
  const [only, ...others] = parts;
  if (only && others.length === 0) return only;
  return (cells, position) => {
    let joined = '';
    for (const part of parts) {
      const cell = part(cells, position);
      if (typeof cell !== 'string') return cell;
      joined += cell;
    }
    return joined;
  };
}

/** The names of columns a source speaks of. */
export function namesIn(source: Source): readonly string[] {
  switch (source.kind) {
    case 'constant':
      return [];
    case 'column':
      return [source.name];
    case 'template':
      return source.parts.flatMap((part) => (part.kind === 'columns' ? part.names : []));
  }
}

/** A source as a problem names it. */
export function shownSource(source: Source, columns: Columns): string {
  switch (source.kind) {
    case 'constant':
      return '--set';
    case 'column':
      return columns.shown(source.name);
    case 'template':
      return source.written;
  }
}
