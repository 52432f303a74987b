import type { Random } from '../../base/random.ts';
import type { EntryFilter } from '../../store/ledger/ledger.ts';

/** A range of reward ids. */
export type ListPart = Pick<EntryFilter, 'after' | 'upTo'>;

/** About so many rewards are in one part. */
const partRewards = 64;
const partsMaximum = 256;

/**
 * Divides a list of rewards into parts of about the same size, each a range of ids, without keeping the list: their
 * bounds are ids drawn from it.
 */
export function createListParts(random: Random): {
  note(rewardId: string): void;
  /** In the order of ids. Together they hold every id. */
  parts(): readonly ListPart[];
} {
  const drawn: string[] = [];
  let count = 0;
  return {
    note: (rewardId) => {
      count += 1;
      const place = drawn.length < partsMaximum ? drawn.length : Math.floor(random() * count);
      if (place < partsMaximum) drawn[place] = rewardId;
    },
    parts: () => {
      const bounds = shuffled(drawn, random)
        .slice(0, Math.floor(count / partRewards))
        .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      return [undefined, ...bounds].map((after, index) => ({
        ...(after === undefined ? {} : { after }),
        ...(index === bounds.length ? {} : { upTo: bounds[index] }),
      }));
    },
  };
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);
}
