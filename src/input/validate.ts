import { flagWord } from '../base/shell-word.ts';
import { checkInput } from './checks/check.ts';
import { Findings } from './checks/findings.ts';
import type { UnusedColumn } from './mapping/columns.ts';
import type { InputFiles } from './open/open.ts';
import { orderAgreement } from './orders/order-agreement.ts';
import type { InputOptions } from './records/options.ts';
import type { Notice, Problem } from './records/problem.ts';
import type { Entry, Identified, RecordKind } from './records/record-kinds.ts';
import type { Rejects } from './rejects/rejects.ts';

/** Maximum number of unused columns to name. */
const columnsNamed = 100;

/** Receives the valid records of an input during validation. */
export interface KeptRecords<T> {
  /** Adds records of one file. */
  add(entries: readonly Entry<T>[]): void;
}

export interface Validation {
  /** The number of valid records. */
  readonly count: number;
  /** The number of records that belong to other shards. */
  readonly elsewhereCount: number;
  /** The first problems in the order of the input. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  /** The paths of the fields with a value in at least one record, in the kind's order. */
  readonly fields: readonly string[];
  /** The product key that the records use; undefined if no column is known to hold one. */
  readonly productKey?: string | undefined;
  readonly notices: readonly Notice[];
}

/**
 * Reads the whole input and returns all problems. Valid records go to `kept`, invalid ones to `rejects` if they are to
 * be skipped.
 * @throws the failures of `checkInput`, and the reason of the files' `stopping` once it is aborted.
 */
export async function validateInput<T extends Identified>(
  input: InputFiles,
  kind: RecordKind<T>,
  options: InputOptions,
  kept: KeptRecords<T> = { add: () => undefined },
  rejects?: Rejects,
): Promise<Validation> {
  let count = 0;
  const findings = new Findings();
  const { notices: fileNotices, filledFields, presets, unusedColumns } = findings;
  const findDisagreements = options.hasWholeOrders ? orderAgreement(kind) : undefined;
  const reading = { ...options, keepRaw: rejects !== undefined };
  for await (const checked of checkInput(input, kind, reading, findings)) {
    const { file, entries } = checked;
    count += entries.length;
    if (entries.length > 0) kept.add(entries);
    rejects?.add(checked);
    options.onRead?.(count + findings.elsewhereCount + findings.problemCount);
    if (findDisagreements) findings.report(file.shownAs, findDisagreements(entries));
  }
  const recognized = options.preset === undefined ? [...presets].map(presetNotice) : [];
  const fields = kind.fields.map(({ path }) => path).filter((path) => filledFields.has(path));
  const contentless = count > 0 ? contentlessNotices(kind, fields) : [];
  const { elsewhereCount, problems, problemCount, productKey } = findings;
  return {
    ...{ count, elsewhereCount, problems, problemCount, fields, productKey },
    notices: [
      ...recognized,
      ...fileNotices,
      ...contentless,
      ...noticesOf([...unusedColumns.values()].slice(0, columnsNamed + 1)),
    ],
  };
}

function presetNotice(name: string): Notice {
  const message = `read as a ${name} export (to change that: --preset none or another name)`;
  return { code: 'preset', isInfo: true, message };
}

/** A notice if the records update existing ones but have no field to change. */
function contentlessNotices({ fields, knownBy }: RecordKind, filled: readonly string[]): readonly Notice[] {
  if (knownBy === undefined) return [];
  const changeable = fields.filter(({ path, isOfOrder }) => !isOfOrder && !knownBy.includes(path));
  if (changeable.some(({ path }) => filled.includes(path))) return [];
  const hint = `fill in one of ${changeable.map(({ path }) => path).join(', ')}, or name its column with --map`;
  return [
    {
      code: 'nothing-to-change',
      message: 'the records only identify items; they have no field to change',
      hint,
    },
  ];
}

/** One notice for the unused columns of all files. */
function noticesOf(unused: readonly UnusedColumn[]): readonly Notice[] {
  if (unused.length === 0) return [];
  const more = unused.length > columnsNamed ? ', …' : '';
  const columns = unused.slice(0, columnsNamed).map(({ column }) => column);
  const likely = new Map<string, string>();
  for (const { column, nearest } of unused) {
    if (nearest !== undefined && !likely.has(nearest)) likely.set(nearest, column);
  }
  const hints = [...likely].map(
    ([field, column]) => `did you mean ${field}? ${flagWord('--map', `${field}=${column}`)}`,
  );
  const message = `columns not used: ${columns.join(', ')}${more}`;
  return [{ code: 'unknown-columns', message, ...(hints.length > 0 && { hint: hints.join('\n') }) }];
}
