import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { sentenceList } from '../../../base/sentence-list.ts';
import { type Shard, shardText } from '../../../base/shard.ts';
import type { Environment } from '../../../config/folders.ts';
import type { RecordKind } from '../../../input/records/record-kinds.ts';
import type { ShardChoice } from '../../flags/shard-flags.ts';

/** The numbering of processes by a scheduler of jobs. */
interface Scheduler {
  /** The variable with the number of this process. */
  readonly index: string;
  /** The number of the first process. */
  readonly first: 0 | 1;
  /** The variable with the number of processes, if the scheduler sets one. */
  readonly count?: string;
}

const schedulers: readonly Scheduler[] = [
  // Kubernetes sets only the index; the manifest sets the count.
  { index: 'JOB_COMPLETION_INDEX', first: 0, count: 'JOB_COMPLETIONS' },
  { index: 'AWS_BATCH_JOB_ARRAY_INDEX', first: 0, count: 'AWS_BATCH_JOB_ARRAY_SIZE' },
  // GNU parallel.
  { index: 'PARALLEL_SEQ', first: 1 },
];

/**
 * The shard of this process: as typed, or as numbered by its scheduler.
 * @throws Failure('usage') if it is unknown or contradictory.
 */
export function findShard({ index, count }: ShardChoice, env: Environment): Shard {
  if (index !== 'auto') return { index, count: Number(count) };
  const scheduler = schedulerOf(env);
  const total = countOf(scheduler, count, env);
  const number = numberIn(scheduler.index, env);
  const own = number - scheduler.first + 1;
  if (own >= 1 && own <= total) return { index: own, count: total };
  const last = total - 1 + scheduler.first;
  throw notFound(
    `${scheduler.index} is ${number}, and the processes of ${total} shards are ${scheduler.first} to ${last}`,
    'start as many processes as there are shards',
  );
}

/** Replaces `auto` by the actual shard in a command line, so that it can be repeated anywhere. */
export function withShard(argv: readonly string[], shard: Shard): readonly string[] {
  return argv.map((word, at) => {
    if (argv[at - 1] === '--shard') return shardText(shard);
    return word.startsWith('--shard=') ? `--shard=${shardText(shard)}` : word;
  });
}

/** @throws Failure('usage') for records that depend on each other, so that one push has to send all. */
export function checkSharded({ name, shardedBy }: Pick<RecordKind<unknown>, 'name' | 'shardedBy'>): void {
  if (shardedBy !== undefined) return;
  throw new Failure(
    'usage',
    `--shard: ${name} are not split into shards, since parents have to be created before their children`,
    hint`push all of them at once, before the products: ${reviewctl`${name} push FILE`}`,
  );
}

function schedulerOf(env: Environment): Scheduler {
  const found = schedulers.filter((scheduler) => env[scheduler.index]);
  const [scheduler, second] = found;
  const names = (found.length === 0 ? schedulers : found).map((one) => one.index);
  const listed = sentenceList(names, 'and');
  if (scheduler === undefined) throw notFound(`none of ${listed} is set`, nameIt);
  if (second !== undefined) throw notFound(`${listed} are set, each by another scheduler`, nameIt);
  return scheduler;
}

function countOf(scheduler: Scheduler, typed: ShardChoice['count'], env: Environment): number {
  const given = scheduler.count !== undefined && env[scheduler.count] ? scheduler.count : undefined;
  if (given === undefined) {
    if (typed !== 'auto') return typed;
    const variable = scheduler.count === undefined ? '' : `, or set ${scheduler.count}`;
    throw notFound(
      `${scheduler.index} is set, but the number of shards is not known`,
      `add it, such as --shard auto/8${variable}`,
    );
  }
  const count = numberIn(given, env);
  if (typed === 'auto' || typed === count) return count;
  throw notFound(`${given} is ${count}, and --shard says ${typed}`, 'use --shard auto');
}

function numberIn(variable: string, env: Environment): number {
  const text = env[variable] ?? '';
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw notFound(`${variable} is '${text}', which is not a number`, nameIt);
}

const nameIt = 'name the shard, such as --shard 1/8';

function notFound(message: string, remedy: string): Failure {
  return new Failure('usage', `--shard auto: ${message}`, remedy);
}
