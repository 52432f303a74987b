import { namesOf, type Step } from './binding.ts';
import { isFilled } from './cells/filled.ts';
import type { CellValue } from './cells/read-cell.ts';
import { Refusal } from './cells/refusal.ts';
import type { Field } from './field.ts';
import type { Cell, InputOptions, Problem, Row } from './place.ts';
import { quoted } from './quoted.ts';
import type { RecordKind } from './record-kinds.ts';

/** A record while it is filled. Its names come from the kind's fields, never from a file. */
type Draft = Record<string, unknown>;

/**
 * Makes records of the rows of one file. It knows the order it is in: a row whose order values are all blank continues
 * the order above (where the file has more order columns than its id alone, so that a lost id is not taken for one),
 * and rows are numbered within the order as long as they stand together.
 */
export class Assembler<T> {
  readonly #file: string;
  readonly #nullWord: string | undefined;
  readonly #required: readonly Field[];
  /** The field that tells orders apart; only where records belong to orders. */
  readonly #orderKey: string | undefined;
  readonly #orderNames: readonly string[];
  #orderSteps: readonly Step[] = [];
  #ownSteps: readonly Step[] = [];
  #mayContinue = false;
  /** The record above: its order values are those of the order. */
  #orderAbove: Draft = {};
  #position = 0;

  constructor(file: string, kind: RecordKind<T>, { nullWord }: Pick<InputOptions, 'nullWord'>) {
    this.#file = file;
    this.#nullWord = nullWord;
    this.#required = kind.fields.filter((field) => field.isRequired);
    const ofOrder = kind.fields.filter((field) => field.isOfOrder);
    this.#orderKey = ofOrder[0]?.path;
    this.#orderNames = [...new Set(ofOrder.map((field) => namesOf(field.path)[0]))];
  }

  /** Uses `steps` from the next row on. */
  use(steps: readonly Step[]): void {
    this.#orderSteps = steps.filter((step) => step.field.isOfOrder);
    this.#ownSteps = steps.filter((step) => !step.field.isOfOrder);
    this.#mayContinue = this.#orderSteps.filter((step) => !step.isConstant).length > 1;
  }

  /** The record of a row; undefined when something is wrong with it, which is then added to `problems`. */
  assemble(row: Row, problems: Problem[]): T | undefined {
    const problemsBefore = problems.length;
    const record = this.#startRecord(row, problems);
    this.#fill(record, this.#ownSteps, row, problems);
    for (const field of this.#required) {
      if (record[field.path] === undefined) this.#requireField(field, row, problems, problemsBefore);
    }
    // The one cast of the room: the fields of a kind are those of its type.
    return problems.length === problemsBefore ? (record as T) : undefined;
  }

  /** A record with the values of its order, if it has one. */
  #startRecord(row: Row, problems: Problem[]): Draft {
    const record: Draft = {};
    if (this.#orderKey === undefined) return record;
    const above = this.#orderAbove;
    if (this.#continuesOrder(row)) {
      for (const name of this.#orderNames) if (above[name] !== undefined) record[name] = above[name];
    } else {
      this.#fill(record, this.#orderSteps, row, problems);
    }
    this.#position = record[this.#orderKey] === above[this.#orderKey] ? this.#position + 1 : 1;
    this.#orderAbove = record;
    return record;
  }

  #continuesOrder({ cells }: Row): boolean {
    if (!this.#mayContinue || this.#orderKey === undefined || this.#orderAbove[this.#orderKey] === undefined)
      return false;
    return this.#orderSteps.every((step) => step.isConstant || !isFilled(step.take(cells, 0)));
  }

  #fill(record: Draft, steps: readonly Step[], row: Row, problems: Problem[]): void {
    for (const step of steps) {
      const cell = step.take(row.cells, this.#position);
      const value = this.#read(step, cell);
      if (value === undefined) continue;
      if (value instanceof Refusal) problems.push(this.#problem(row, step, cell, value));
      else put(record, step.names, value);
    }
  }

  /** The value of a cell; undefined when it says nothing, which leaves the field alone. */
  #read({ field, read }: Step, cell: Cell): CellValue | null | undefined | Refusal {
    if (cell === null && field.isNullable) return null;
    if (!isFilled(cell)) return undefined;
    const isNullWord =
      this.#nullWord !== undefined && typeof cell === 'string' && cell.trim() === this.#nullWord;
    if (!isNullWord) return read(cell);
    return field.isNullable ? null : notNullable;
  }

  #requireField({ path }: Field, { line }: Row, problems: Problem[], problemsBefore: number): void {
    const step = [...this.#orderSteps, ...this.#ownSteps].find(({ field }) => field.path === path);
    const column = step?.shownAs ?? path;
    for (let at = problemsBefore; at < problems.length; at += 1) {
      if (problems[at]?.column === column) return;
    }
    const remedy = `fill in the cell; every record needs ${path}`;
    problems.push({ file: this.#file, line, column, code: 'missing', reason: `${path} is missing`, remedy });
  }

  #problem({ line }: Row, { shownAs }: Step, cell: Cell, { code, reason, remedy }: Refusal): Problem {
    return { file: this.#file, line, column: shownAs, value: quoted(cell), code, reason, remedy };
  }
}

const notNullable = new Refusal(
  'not-nullable',
  'this field cannot be sent as null',
  'leave the cell blank to leave the field alone',
);

function put(record: Draft, [name, nested]: Step['names'], value: unknown): void {
  if (nested === undefined) {
    record[name] = value;
    return;
  }
  const inner = (record[name] ?? {}) as Draft;
  inner[nested] = value;
  record[name] = inner;
}
