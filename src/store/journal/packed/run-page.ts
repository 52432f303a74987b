import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { RunRecord } from '../../runs/run-log.ts';

/** A value and how often it follows itself. */
type Repetition = readonly [value: string, count: number];

/** A page before it is packed. Lines are written as differences from the line before. */
type PageColumns = readonly [
  files: readonly Repetition[],
  lines: readonly number[],
  originIds: readonly string[],
  outcomes: readonly Repetition[],
];

/** Records of a run of an import, in a few bytes each. */
export function packPage(records: readonly RunRecord[]): Uint8Array {
  const columns: PageColumns = [
    repetitionsOf(records.map(({ file }) => file)),
    records.map(({ line }, at) => line - (records[at - 1]?.line ?? 0)),
    records.map(({ originId }) => originId),
    repetitionsOf(records.map(({ outcome = '' }) => outcome)),
  ];
  return deflateRawSync(JSON.stringify(columns), { level: 1 });
}

export function unpackPage(page: Uint8Array): readonly RunRecord[] {
  const columns: PageColumns = JSON.parse(inflateRawSync(page).toString());
  const [files, lines, originIds, outcomes] = [
    valuesOf(columns[0]),
    columns[1],
    columns[2],
    valuesOf(columns[3]),
  ];
  let line = 0;
  return originIds.map((originId, at) => {
    line += lines[at] ?? 0;
    const outcome = outcomes[at] || undefined;
    return { file: files[at] ?? '', line, originId, ...(outcome === undefined ? {} : { outcome }) };
  });
}

function repetitionsOf(values: readonly string[]): readonly Repetition[] {
  const repetitions: [string, number][] = [];
  for (const value of values) {
    const last = repetitions.at(-1);
    if (last?.[0] === value) last[1] += 1;
    else repetitions.push([value, 1]);
  }
  return repetitions;
}

function valuesOf(repetitions: readonly Repetition[]): readonly string[] {
  return repetitions.flatMap(([value, count]) => new Array<string>(count).fill(value));
}
