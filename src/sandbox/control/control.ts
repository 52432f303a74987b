import type * as z from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { Random } from '../../base/random.ts';
import { type ReviewWish, writeReviews } from '../data/consumers.ts';
import { media } from '../data/phrases.ts';
import { type SeededRewards, seedWorld } from '../data/seed.ts';
import type { Faults } from '../faults/faults.ts';
import { reviewDocument, rewardDocument } from '../rules/documents.ts';
import type { Handlers } from '../rules/handlers.ts';
import type { Journal } from '../state/activity-log.ts';
import { done } from '../state/outcome.ts';
import type { RewardRecord } from '../state/records.ts';
import type { Visit } from '../state/request-context.ts';
import { currentHints } from '../webhook/hints.ts';
import type { controlTable, writeReviewsBody } from './control-table.ts';

interface ControlParts {
  readonly faults: Faults;
  readonly journal: Journal;
  readonly random: Random;
  readonly seededRewards: SeededRewards;
  /** Tells the client of a new reward (API 6). */
  readonly announce: (visit: Visit, reward: RewardRecord) => void;
}

export function controlHandlers({
  faults,
  journal,
  random,
  seededRewards,
  announce,
}: ControlParts): Handlers<typeof controlTable> {
  return {
    seed: (visit, { body }) => {
      seedWorld(visit, random, body, seededRewards);
      return done(sizes(visit));
    },
    writeReviews: (visit, { body }) => {
      const result = writeReviews(visit, random, wishOf(body, random));
      if (result.kind === 'refused') return result;
      for (const { reward } of result.written) announce(visit, reward);
      return done(
        result.written.map(({ review, reward }) => ({
          review: reviewDocument(visit, review),
          reward: rewardDocument(visit, reward),
        })),
      );
    },
    listHints: (visit) => done(currentHints(visit).map((hint) => ({ ...hint }))),
    getFaults: () => done(faultsDocument(faults)),
    setFaults: (_, { body }) => {
      faults.rates = body;
      return done(faultsDocument(faults));
    },
    getJournal: () =>
      done({
        calls: journal.calls,
        forgottenEffects: journal.forgotten,
        effects: journal.effects,
      }),
  };
}

type WriteReviewsBody = z.output<typeof writeReviewsBody>;

function wishOf(
  { count, orderItemOriginId, images, videos, ...said }: WriteReviewsBody,
  random: Random,
): ReviewWish {
  return {
    count,
    orderItemOriginId,
    said: {
      ...said,
      images: images === undefined ? undefined : media(random, 'image', images),
      videos: videos === undefined ? undefined : media(random, 'video', videos),
    },
  };
}

function faultsDocument(faults: Faults): JsonObject {
  return { rates: faults.rates, counts: faults.counts };
}

/** How many records there are of each kind a seed makes. */
function sizes({ world }: Visit): JsonObject {
  return {
    products: world.products.size,
    productGroups: world.productGroups.size,
    categories: world.categories.size,
    orders: world.orders.size,
    orderItems: world.orderItems.size,
    reviews: world.reviews.size,
    rewards: world.rewards.size,
  };
}
