import type { Shard } from '../../../base/shard.ts';
import { hasCountedIds } from '../../../input/mapping/mapping.ts';
import type { Identified, RecordKind } from '../../../input/records/record-kinds.ts';
import type { FlowSource } from '../../../push/plan/run-flow.ts';
import type { PushOutcome, RecordPlace } from '../../../push/steps/outcome.ts';
import type { RunInput } from '../../../store/runs/run-log.ts';
import type { ReadFiles } from './compiled-input.ts';
import { leftOut } from './left-out.ts';
import type { OpenedPlan } from './push-plan.ts';

/** What a push takes its records from: files that were found good, or a plan that was made of such. */
export interface PushInput<S> {
  /** The number of records in an outcome. */
  readonly count: number;
  readonly source: () => FlowSource<S>;
  readonly records: () => AsyncIterable<readonly S[]>;
  /** Outcomes of records that are left out. */
  readonly leftOut: () => AsyncIterable<readonly PushOutcome[]>;
  /** Whether originIds are made with `{n}`. */
  readonly hasCountedIds: boolean;
  /** The paths of the fields that records have values for; none of a plan, which holds what is sent alone. */
  readonly fields: readonly string[];
  /** The column that products go by. */
  readonly productKey: string | undefined;
  /** The plan that is carried out. */
  readonly plan?: OpenedPlan;
  /** The import that these records are a part of. */
  readonly part?: ImportPart | undefined;
}

/** What a push has to do with an import that several pushes make together. */
export interface ImportPart {
  readonly shard: Shard;
  readonly input: RunInput;
  /** The places of all records of this push, left out or not. */
  readonly places: () => AsyncIterable<readonly RecordPlace[]>;
}

/** The records of files. */
export function inputOfFiles<T extends Identified, S extends object>(
  kind: RecordKind<T>,
  { options, validation, compiled, rejects }: ReadFiles<T, S>,
  part: ImportPart | undefined,
): PushInput<S> {
  const records = () => compiled.records();
  return {
    count: rejects.count + validation.count,
    source: () => ({ kind: 'input', batches: records() }),
    records,
    leftOut: () => leftOut(rejects),
    hasCountedIds: hasCountedIds(options, kind),
    fields: validation.fields,
    productKey: validation.productKey,
    part,
  };
}
