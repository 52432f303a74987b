import type * as z from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { Random } from '../../base/random.ts';
import { type ReviewRequest, writeReviews } from '../data/consumers.ts';
import { media } from '../data/phrases.ts';
import type { Faults } from '../faults/faults.ts';
import { runDueJobs } from '../jobs/jobs.ts';
import { approveRewards } from '../rules/approval.ts';
import { reviewDocument, rewardDocument } from '../rules/documents.ts';
import type { Handlers } from '../rules/handlers.ts';
import { done, invalid } from '../state/outcome.ts';
import type { StoredReward } from '../state/records.ts';
import { type RequestContext, timestamp } from '../state/request-context.ts';
import { currentHints } from '../webhook/hints.ts';
import type { controlTable, writeReviewsBody } from './control-table.ts';

interface ControlParts {
  readonly faults: Faults;
  readonly random: Random;
  /** Delivers a reward to the client (API 6); undefined without a webhook URL. */
  readonly announce: ((context: RequestContext, reward: StoredReward) => void) | undefined;
  /** Advances the clock and returns the new time, in milliseconds. */
  readonly advanceClock: (ms: number) => number;
}

export function controlHandlers({
  faults,
  random,
  announce,
  advanceClock,
}: ControlParts): Handlers<typeof controlTable> {
  return {
    writeReviews: (context, { body }) => {
      const result = writeReviews(context, random, reviewRequestOf(body, random));
      if (result.kind === 'refused') return result;
      for (const { reward } of result.written) announce?.(context, reward);
      return done(
        result.written.map(({ review, reward }) => ({
          review: reviewDocument(context, review),
          reward: rewardDocument(context, reward),
        })),
      );
    },
    advance: (before, { body: { ms } }) => {
      const nowMs = advanceClock(ms);
      const context = { ...before, nowMs, now: timestamp(nowMs) };
      const endedJobs = runDueJobs(context);
      const approved = approveRewards(context);
      for (const reward of approved) announce?.(context, reward);
      return done({ now: context.now, endedJobs, approvedRewards: approved.length });
    },
    resendRewards: (context, { body: { rewardIds } }) => {
      if (announce === undefined) {
        return invalid([], 'no webhook is configured; start the sandbox with --webhook-url', 'no_webhook');
      }
      const rewards = rewardIds.map((id) => context.state.rewards.get(id));
      const missing = rewards.indexOf(undefined);
      if (missing !== -1) {
        const loc = ['body', 'rewardIds', missing];
        return invalid(loc, `no reward has the id ${rewardIds[missing]}`, 'not_found');
      }
      for (const reward of rewards) if (reward !== undefined) announce(context, reward);
      return done({ sent: rewards.length });
    },
    listHints: (context) => done(currentHints(context)),
    getFaults: () => done(faultsDocument(faults)),
    setFaults: (_, { body }) => {
      faults.rates = body;
      return done(faultsDocument(faults));
    },
  };
}

type WriteReviewsBody = z.output<typeof writeReviewsBody>;

function reviewRequestOf(
  { count, orderItemOriginId, images, videos, ...content }: WriteReviewsBody,
  random: Random,
): ReviewRequest {
  return {
    count,
    orderItemOriginId,
    content: {
      ...content,
      images: images === undefined ? undefined : media(random, 'image', images),
      videos: videos === undefined ? undefined : media(random, 'video', videos),
    },
  };
}

function faultsDocument(faults: Faults): JsonObject {
  return { rates: { ...faults.rates }, counts: faults.counts };
}
