import { shellWord } from '../base/shell-word.ts';
import { countedId, type Step } from './binding.ts';
import type { InputFiles } from './open.ts';
import type { Problem } from './place.ts';
import { quoted } from './quoted.ts';
import type { Identified, RecordKind } from './record-kinds.ts';
import { SeenIds } from './seen-ids.ts';

/** Finds the records of an input whose id an earlier one has. */
export class RepeatedIds<T> {
  readonly #files: InputFiles['files'];
  readonly #fields: RecordKind<T>['fields'];
  readonly #seen = new SeenIds();

  constructor({ files }: InputFiles, { fields }: RecordKind<T>) {
    this.#files = files;
    this.#fields = fields;
  }

  /** Remembers the originId of a record; whether no earlier record has it. */
  isNew(
    originId: string,
    { fileIndex, line }: { readonly fileIndex: number; readonly line: number },
  ): boolean {
    return this.#seen.add(originId, fileIndex, line) === undefined;
  }

  /** Remembers the id of a record, as far as it could be read; what is wrong where an earlier one has it. */
  find(
    read: { readonly [K in keyof Identified]?: unknown },
    { fileIndex, line }: { readonly fileIndex: number; readonly line: number },
    steps: readonly Step[],
  ): Problem | undefined {
    const column = read.originId === undefined ? 'id' : 'originId';
    const known = read[column];
    if (typeof known !== 'string') return undefined;
    // The ids of shop and service may be the same text and mean different things.
    const before = this.#seen.add(column === 'id' ? `id:${known}` : known, fileIndex, line);
    if (before === undefined) return undefined;
    return {
      file: this.#files[fileIndex]?.shownAs ?? '',
      line,
      column,
      value: quoted(known),
      code: 'duplicate-origin-id',
      reason: `the ${column} already stands on ${this.#files[before.fileIndex]?.shownAs}:${before.line}`,
      remedy: this.#remedy(steps),
    };
  }

  /** Two lines of an order are not one because the column taken for their id says the same of both. */
  #remedy(steps: readonly Step[]): string {
    if (!this.#fields.some(({ isOfOrder }) => isOfOrder)) return 'keep the one that is right';
    const counted = countedId(this.#fields, steps) ?? 'originId={ORDER}-{n}';
    return `if these are two lines of an order, they need ids of their own: map another column, or number the lines with --map ${shellWord(counted)}; if the file holds one line twice, remove one`;
  }
}
