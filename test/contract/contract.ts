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

/** The project's contract as one value, so that a changed copy can be checked as well. */
export interface Contract {
  readonly documented: Readonly<Record<string, Operation>>;
  readonly optIn: Readonly<Record<string, Operation>>;
  readonly resources: Readonly<Record<string, z.ZodType>>;
  /** The enumerations of section 3, by their names in the document. */
  readonly states: Readonly<Record<string, readonly string[]>>;
  /** Values of open sets (section 2), by their names in the document. */
  readonly observedValues: Readonly<Record<string, readonly string[]>>;
  /** The limits of section 8, by their names in the document. */
  readonly limits: Readonly<Record<string, number>>;
  readonly pathPrefix: string;
}

/** The contract of the project, unchanged. */
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
