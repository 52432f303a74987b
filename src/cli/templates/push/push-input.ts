import type { Shard } from '../../../base/shard.ts';
import { hasCountedIds } from '../../../input/mapping/mapping.ts';
import type { Identified, RecordKind } from '../../../input/records/record-kinds.ts';
import type { FlowSource } from '../../../push/plan/run-flow.ts';
import type { PushOutcome, RecordPlace } from '../../../push/steps/outcome.ts';
import type { RunInput } from '../../../store/runs/run-log.ts';
import type { ReadFiles } from './compiled-input.ts';
import { leftOut } from './left-out.ts';
import type { OpenedPlan } from './push-plan.ts';

/** The records of a push: from validated files, or from a plan made of such files. */
export interface PushInput<S> {
  /** The number of records with an outcome. */
  readonly count: number;
  readonly source: () => FlowSource<S>;
  readonly records: () => AsyncIterable<readonly S[]>;
  /** Outcomes of omitted records. */
  readonly leftOut: () => AsyncIterable<readonly PushOutcome[]>;
  /** True if originIds are made with `{n}`. */
  readonly hasCountedIds: boolean;
  /** The paths of fields with values; empty for a plan, which holds only what is sent. */
  readonly fields: readonly string[];
  /** The column that identifies products. */
  readonly productKey: string | undefined;
  /** The plan to send. */
  readonly plan?: OpenedPlan;
  /** The import that these records are part of. */
  readonly part?: ImportPart | undefined;
}

/** The part of one push in an import of several pushes. */
export interface ImportPart {
  readonly shard: Shard;
  readonly input: RunInput;
  /** The places of all records of this push, including omitted ones. */
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
