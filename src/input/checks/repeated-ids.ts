import { type FirstOccurrence, SeenIds } from '../../base/id-set.ts';
import { shellWord } from '../../base/shell-word.ts';
import { countedId } from '../mapping/binding.ts';
import type { Column } from '../mapping/column.ts';
import type { InputFiles } from '../open/open.ts';
import { quoted } from '../records/cell.ts';
import type { Problem } from '../records/problem.ts';
import type { Identified, RecordKind } from '../records/record-kinds.ts';

/** Finds records whose id occurs earlier in the input. */
export class RepeatedIds {
  readonly #files: InputFiles['files'];
  readonly #fields: RecordKind['fields'];
  readonly #seen: SeenIds;

  /** Ids that do not fit into memory go to a file in `folder`. */
  constructor({ files }: InputFiles, { fields }: RecordKind, folder: string | undefined) {
    this.#files = files;
    this.#fields = fields;
    this.#seen = new SeenIds(folder);
  }

  /** Stores the id of a record, if it could be read; returns a problem if an earlier record has it. */
  find(
    { originId, id }: { readonly [K in keyof Identified]?: unknown },
    place: FirstOccurrence,
    columns: readonly Column[],
  ): Problem | undefined {
    const known = originId ?? id;
    if (typeof known !== 'string') return undefined;
    const column = known === originId ? 'originId' : 'id';
    // An id of the shop and an id of the service may be the same text.
    const prefix = column === 'id' ? ':i' : known.startsWith(':') ? ':o' : '';
    const before = this.#seen.add(prefix + known, place.fileIndex, place.line);
    return before && this.#problem(column, known, place, before, columns);
  }

  close(): void {
    this.#seen.close();
  }

  #problem(
    column: keyof Identified,
    known: string,
    { fileIndex, line }: FirstOccurrence,
    before: FirstOccurrence,
    columns: readonly Column[],
  ): Problem {
    return {
      file: this.#files[fileIndex]?.shownAs ?? '',
      line,
      column,
      value: quoted(known),
      code: 'duplicate-origin-id',
      reason: `the ${column} is already on ${this.#files[before.fileIndex]?.shownAs}:${before.line}`,
      remedy: this.#remedy(columns),
    };
  }

  /** Two lines of an order may have the same id because the wrong column is mapped to it. */
  #remedy(columns: readonly Column[]): string {
    if (!this.#fields.some(({ isOfOrder }) => isOfOrder)) return 'keep the one that is right';
    const counted = countedId(this.#fields, columns) ?? 'originId={ORDER}-{n}';
    return (
      'if these are two lines of an order, they need ids of their own: map another column, or ' +
      `number the lines with --map ${shellWord(counted)}; if the file holds one line twice, remove ` +
      'one'
    );
  }
}
