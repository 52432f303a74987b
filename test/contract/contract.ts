import type * as z from 'zod';
import {
  bulkEntriesMaximum,
  firstDefault,
  firstMaximum,
  hintRetentionDays,
  pathPrefix,
} from '../../src/contract/limits.ts';
import { documentedOperations, type Operation, optInOperations } from '../../src/contract/operations.ts';
import { resources } from '../../src/contract/resources.ts';
import {
  knownReviewCategories,
  knownUploadFroms,
  orderItemStatuses,
  rewardStatuses,
} from '../../src/contract/states.ts';

/** The project's contract as one value, so that a witness can judge a changed copy of it as well. */
export interface Contract {
  readonly documented: Readonly<Record<string, Operation>>;
  readonly optIn: Readonly<Record<string, Operation>>;
  readonly resources: Readonly<Record<string, z.ZodType>>;
  /** By the document's names: the enumerations of section 3. */
  readonly states: Readonly<Record<string, readonly string[]>>;
  /** By the document's names: values of open sets (section 2). */
  readonly observedValues: Readonly<Record<string, readonly string[]>>;
  /** By the document's names: section 8. */
  readonly limits: Readonly<Record<string, number>>;
  readonly pathPrefix: string;
}

/** The contract as it stands. */
export const contract: Contract = {
  documented: documentedOperations,
  optIn: optInOperations,
  resources,
  states: { OrderItemStatus: orderItemStatuses, RewardRequestStatus: rewardStatuses },
  observedValues: {
    'Review.uploadFrom': knownUploadFroms,
    'Reward.reviewCategory': knownReviewCategories,
  },
  limits: {
    'first, default': firstDefault,
    'first, maximum': firstMaximum,
    'bulk entries per request': bulkEntriesMaximum,
    'webhook hint log retention': hintRetentionDays,
  },
  pathPrefix,
};
