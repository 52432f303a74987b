import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { shardText } from '../../../base/shard.ts';
import { counted, countsInWords, grouped } from '../../../output/terminal/totals.ts';
import { importRecordView } from '../../../output/views/run-views.ts';
import { repeatableFlag, valueFlag } from '../../flags/flags.ts';
import { outputFlags, textValue } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { writeList } from '../../templates/list/write-list.ts';
import { withShard } from '../../templates/push/find-shard.ts';
import { findImportRuns, type ImportRun, openPlaces } from './import-runs.ts';
import { MergedImport } from './merged-import.ts';
import { placeFlags, withRuns } from './open-runs.ts';

const flags = {
  batch: valueFlag(textValue, { value: 'NAME', help: 'all runs of the import with this name' }),
  from: repeatableFlag({
    value: 'FOLDER',
    help: 'also the runs in this state folder of another machine (its REVIEWCTL_STATE_DIR); with --batch; repeatable',
  }),
  ...outputFlags,
  ...placeFlags,
};

export const runsMerge = defineCommand({
  argument: {
    term: '[runs...]',
    help: 'the runs of an import, by id; prints the records that need attention, none if each was sent once',
  },
  flags,
  examples: [
    'reviewctl runs merge --batch november',
    'reviewctl runs merge --batch november --from /mnt/worker-2 --from /mnt/worker-3 -o csv',
  ],
  exitCodes: [6, 11],
  run: (invocation) =>
    withRuns(invocation, async ({ journal }) => {
      const { args, flags: given, sources } = invocation;
      checkNamed(invocation);
      const profile = sources.profile.name;
      const others = await openPlaces(given.from, { profile, baseUrl: given.baseUrl });
      try {
        const runs = await findImportRuns([{ journal }, ...others], { batch: given.batch, words: args });
        return await report(invocation, runs);
      } finally {
        for (const other of others) await other.journal.close();
      }
    }),
});

/** @throws Failure('usage') unless runs are named in one way. */
function checkNamed({ args, flags: { batch, from } }: Invocation<typeof flags>): void {
  const example = hint`name the import: ${reviewctl`runs merge --batch NAME`}`;
  if (args.length === 0 && batch === undefined) throw new Failure('usage', 'no runs are named', example);
  if (args.length > 0 && batch !== undefined)
    throw new Failure('usage', 'runs are named both by id and by --batch', 'use one of them');
  if (args.length > 0 && from.length > 0)
    throw new Failure('usage', 'runs of other machines are found by --batch only', example);
}

async function report(invocation: Invocation<typeof flags>, runs: readonly ImportRun[]): Promise<ExitCode> {
  const merged = new MergedImport(runs);
  const records = runs[0]?.run.input.records ?? 0;
  await writeList(invocation, merged.troubles(), importRecordView, {
    summary: () => totalsInWords(merged, records),
  });
  const { tally, left, listed } = merged;
  if (listed < records) adviseOnUnlisted(invocation, runs, records - listed);
  adviseOnLeft(invocation, left);
  if (tally.repeated > 0) adviseOnRepeated(invocation, tally.repeated);
  const { none, repeated, unknown, rejected, failed } = tally;
  return strongestExitCode([
    ...(unknown + repeated > 0 ? [11 as const] : []),
    ...(none + rejected + failed > 0 || listed !== records ? [6 as const] : []),
  ]);
}

function totalsInWords({ tally, listed }: MergedImport, records: number): string {
  const { none, repeated, ...outcomes } = tally;
  const missing = none + Math.max(0, records - listed);
  const proof =
    missing + repeated === 0
      ? 'each has exactly one outcome'
      : [
          ...(missing === 0 ? [] : [`${grouped(missing)} without an outcome`]),
          ...(repeated === 0 ? [] : [`${grouped(repeated)} sent more than once`]),
        ].join(', ');
  return `${counted(records, 'record')}: ${[countsInWords(outcomes), proof].filter(Boolean).join('; ')}`;
}

/** Runs that are named. */
const namedMaximum = 20;

/** Names the shards that never ran; what is in them is known to themselves only. */
function adviseOnUnlisted(
  { notices }: Pick<Invocation<typeof flags>, 'notices'>,
  runs: readonly ImportRun[],
  unlisted: number,
): void {
  const missing = missingShards(runs);
  const [index] = missing;
  const { shard, command = [] } = runs[0]?.run ?? {};
  if (index === undefined || shard === undefined) {
    notices.warning(
      `${counted(unlisted, 'record')} of the input ${unlisted === 1 ? 'is' : 'are'} in none of these runs`,
      'name all runs of the import, and with --from the state folders of all machines',
    );
    return;
  }
  const first = { ...shard, index };
  const shown = missing.slice(0, namedMaximum).map((one) => shardText({ ...shard, index: one }));
  const more = missing.length > namedMaximum ? `, and ${missing.length - namedMaximum} more` : '';
  notices.warning(
    `${counted(unlisted, 'record')} in shards without a run: ${shown.join(', ')}${more}`,
    hint`to push the first of them: ${reviewctl`${withShard(command, first)}`}; for runs of other machines, add --from`,
  );
}

function missingShards(runs: readonly ImportRun[]): readonly number[] {
  const counts = new Set(runs.map(({ run }) => run.shard?.count ?? 0));
  const [count = 0] = counts;
  if (counts.size > 1) return [];
  const ran = new Set(runs.map(({ run }) => run.shard?.index));
  return Array.from({ length: count }, (_, at) => at + 1).filter((index) => !ran.has(index));
}

function adviseOnLeft(
  { notices }: Pick<Invocation<typeof flags>, 'notices'>,
  left: ReadonlyMap<ImportRun, number>,
): void {
  for (const [{ run, place, name }, count] of [...left].slice(0, namedMaximum)) {
    const part = run.shard === undefined ? '' : ` (shard ${shardText(run.shard)})`;
    const resume = reviewctl`runs resume ${run.id}`;
    notices.warning(
      `${counted(count, 'record')} without an outcome in run ${name}${part}`,
      place === 0
        ? hint`to continue: ${resume}`
        : hint`to continue, on the machine of that folder: ${resume}`,
    );
  }
}

function adviseOnRepeated({ notices }: Pick<Invocation<typeof flags>, 'notices'>, repeated: number): void {
  notices.warning(
    `${counted(repeated, 'record')} sent by more than one run, since the later one lacked the journal of the other`,
    'look for duplicates of them at the service; keep the state folder of a shard for its next run',
  );
}
