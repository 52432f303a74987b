import { withoutFormula } from '../formats/csv/write-row.ts';
import type { Cell } from '../records/cell.ts';
import { isFilled } from '../records/filled.ts';
import type { Columns } from './columns.ts';
import type { FieldSource, TemplatePart } from './mapping.ts';

/** Extracts the value of a field from a row; `position` is the number of the row within its order, from 1. */
export type Extractor = (cells: readonly Cell[], position: number) => Cell;

/** Whether a cell is refused even as a part of a value. */
type IsRefusedPart = (cell: string) => boolean;

/** The extractor of a source. */
export function extractorFor(source: FieldSource, columns: Columns, isRefusedPart: IsRefusedPart): Extractor {
  switch (source.kind) {
    case 'constant':
      return () => source.value;
    case 'column': {
      const column = columns.find(source.name);
      return (cells) => withoutFormula(cells[column]);
    }
    case 'template':
      return templateExtractor(source.parts.map((part) => partExtractor(part, columns, isRefusedPart)));
  }
}

/** Extracts a part of a template: text to be joined, or a bad cell, which the field will refuse. */
type PartExtractor = (
  cells: readonly Cell[],
  position: number,
) => { readonly text: string } | { readonly bad: Cell };

function partExtractor(part: TemplatePart, columns: Columns, isRefusedPart: IsRefusedPart): PartExtractor {
  switch (part.kind) {
    case 'text':
      return () => part;
    case 'counter':
      return (_cells, position) => ({ text: String(position) });
    case 'columns': {
      const found = part.names.map((name) => columns.find(name));
      return (cells) => {
        const cell = found.map((column) => withoutFormula(cells[column])).find(isFilled);
        return typeof cell !== 'string' || isRefusedPart(cell) ? { bad: cell } : { text: cell.trim() };
      };
    }
  }
}

/**
 * Joins the parts; blank if one of them is. A cell that is not valid text is returned as it is, for the field to
 * refuse.
 */
function templateExtractor(parts: readonly PartExtractor[]): Extractor {
  return (cells, position) => {
    let joined = '';
    for (const take of parts) {
      const part = take(cells, position);
      if ('bad' in part) return part.bad;
      joined += part.text;
    }
    return joined;
  };
}

/** The names of the columns that a source uses. */
export function namesIn(source: FieldSource): readonly string[] {
  switch (source.kind) {
    case 'constant':
      return [];
    case 'column':
      return [source.name];
    case 'template':
      return source.parts.flatMap((part) => (part.kind === 'columns' ? part.names : []));
  }
}

/** A source as problems name it. */
export function shownSource(source: FieldSource, columns: Columns): string {
  switch (source.kind) {
    case 'constant':
      return '--set';
    case 'column':
      return columns.shown(source.name);
    case 'template':
      return source.written;
  }
}
