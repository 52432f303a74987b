import { examineArrays } from './array-checks.ts';
import type { AssumptionName, Assumptions } from './assumptions.ts';
import { confirmed, type Evidence, type Examine, judgeValue, refuted } from './evidence.ts';
import type { Exchange } from './exchange.ts';
import { examineBulkMaximum, examineEnds, examineJobOrder, examinePendingStatuses } from './job-checks.ts';
import type { optInOperations } from './operations.ts';
import * as shown from './shown-values.ts';

/** How an assumption is checked against the service's replies. */
interface AssumptionCheck {
  /** The evidence that decides it, as text. */
  readonly shownBy: string;
  /** The evidence in one reply; undefined if no reply alone has any. */
  readonly examine?: Examine;
}

/** Every assumption with the evidence that would confirm or refute it. */
export const assumptionChecks: Readonly<Record<AssumptionName, AssumptionCheck>> = {
  arrayQuery: {
    shownBy: 'a list filtered by several values: records with more than one of them, or with none',
    examine: examineArrays,
  },
  getJob: { shownBy: 'the answer to jobs wait or --wait', examine: examineOptIn('getJob') },
  createOrders: { shownBy: 'the answer to orders push', examine: examineOptIn('createOrders') },
  getReward: { shownBy: 'the answer to rewards get', examine: examineOptIn('getReward') },
  pendingJobStatuses: {
    shownBy: 'a job that has not ended, or one with a status that no assumption names',
    examine: examinePendingStatuses,
  },
  succeededJobStatuses: {
    shownBy: 'a job of such a status that names what it made, or why it failed',
    examine: examineEnds('succeededJobStatuses'),
  },
  failedJobStatuses: {
    shownBy: 'a job of such a status that names why it failed, or what it made',
    examine: examineEnds('failedJobStatuses'),
  },
  categoryBulkMaximum: {
    shownBy: 'a bulk creation of that many categories, accepted or refused with 413',
    examine: examineBulkMaximum,
  },
  bulkExtraFields: {
    shownBy: 'the answer to orders push --send-extra-fields',
    examine: examineShown('bulkExtraFields', shown.bulkExtraFields),
  },
  unknownFields: { shownBy: 'nothing: only documented fields are sent' },
  successStatus: {
    shownBy: 'the status of a creation',
    examine: examineShown('successStatus', shown.successStatus),
  },
  validationStatus: {
    shownBy: 'the status of a refusal that names fields',
    examine: examineShown('validationStatus', shown.validationStatus),
  },
  errorDetail: {
    shownBy: 'the body of a refusal',
    examine: examineShown('errorDetail', shown.errorDetail),
  },
  locIndex: {
    shownBy: 'the refusal of one entry of a bulk request',
    examine: examineShown('locIndex', shown.locIndex),
  },
  unauthenticatedStatus: {
    shownBy: 'the answer 401',
    examine: examineShown('unauthenticatedStatus', shown.unauthenticatedStatus),
  },
  bulkBadEntry: {
    shownBy: 'a bulk request with an invalid entry',
    examine: examineShown('bulkBadEntry', shown.bulkBadEntry),
  },
  duplicateOriginId: {
    shownBy: 'a creation refused for its originId, or two products with one originId in a list',
    examine: examineShown('duplicateOriginId', shown.duplicateOriginId),
  },
  groupName: {
    shownBy: 'two groups with one name in a list',
    examine: examineShown('groupName', shown.groupName),
  },
  defaultsOnUpdate: {
    shownBy: 'a product after an update that did not send a flag which is not at its default',
    examine: examineShown('defaultsOnUpdate', shown.defaultsOnUpdate),
  },
  writeReply: {
    shownBy: 'the reply to an update, which shows the value that was sent',
    examine: examineShown('writeReply', shown.writeReply),
  },
  paidPriceReply: {
    shownBy: 'an order item',
    examine: examineShown('paidPriceReply', shown.paidPriceReply),
  },
  isAlimtalkEnabledReply: {
    shownBy: 'a product',
    examine: examineShown('isAlimtalkEnabledReply', shown.isAlimtalkEnabledReply),
  },
  imageUrlReply: {
    shownBy: 'the reply to a product that was sent with an imageUrl',
    examine: examineShown('imageUrlReply', shown.imageUrlReply),
  },
  emptyFields: {
    shownBy: 'a record with a field that has no value',
    examine: examineShown('emptyFields', shown.emptyFields),
  },
  replyScalars: {
    shownBy: 'the totalCount of a list',
    examine: examineShown('replyScalars', shown.replyScalars),
  },
  timeRangeEnd: {
    shownBy: 'a review written at the very end of the range that was asked for',
    examine: examineShown('timeRangeEnd', shown.timeRangeEnd),
  },
  rewardTimeMeans: {
    shownBy: 'a reward in a range with only its own date or only that of its review',
    examine: examineShown('rewardTimeMeans', shown.rewardTimeMeans),
  },
  rewardStatusAfterWebhook: {
    shownBy: 'the reward after a webhook call was answered, which nothing compares yet',
  },
  rewardTransitions: {
    shownBy: 'an update of a reward that was refused for its status',
    examine: examineShown('rewardTransitions', shown.rewardTransitions),
  },
  webhookRedirect: { shownBy: 'nothing: a webhook call is never answered with a redirect' },
  webhookRedelivery: { shownBy: 'webhook calls, which nothing compares yet' },
  recordIds: { shownBy: 'every list', examine: examineIds },
  listConsistency: { shownBy: 'a product that is looked for after its creation was lost' },
  idleTimeout: { shownBy: 'the header Keep-Alive', examine: examineKeepAlive },
  jobOrder: { shownBy: 'a bulk creation of several entries', examine: examineJobOrder },
};

const examined = Object.entries(assumptionChecks).flatMap(([name, { examine }]) =>
  examine === undefined ? [] : [{ assumption: name as AssumptionName, examine }],
);

/** The evidence in a reply on all assumptions it can confirm or refute. */
export function evidenceIn(exchange: Exchange, assumptions: Assumptions): readonly Evidence[] {
  const evidence: Evidence[] = [];
  for (const { assumption, examine } of examined) {
    for (const finding of examine(exchange, assumptions)) evidence.push({ assumption, ...finding });
  }
  return evidence;
}

/** For an assumption whose values the client can all read: the service uses the assumed value, or another. */
function examineShown(name: keyof Assumptions, valueIn: (exchange: Exchange) => string | undefined): Examine {
  return (exchange, assumptions) => {
    const value = valueIn(exchange);
    if (value === undefined) return [];
    return [judgeValue(name, value, assumptions)];
  };
}

function examineOptIn(name: keyof typeof optInOperations): Examine {
  return ({ operation, status, value }, assumptions) => {
    if (operation !== name) return [];
    if (value !== undefined) return [confirmed('the operation answers as expected')];
    const isNone = status === 405 || status === 501 || (status === 404 && name === 'createOrders');
    return isNone ? [refuted(`the service has no operation ${assumptions[name] ?? ''} (${status})`)] : [];
  };
}

function examineIds({ operation, value, unreadable = 0 }: Exchange): ReturnType<Examine> {
  const isList = typeof value === 'object' && value !== null && 'data' in value;
  if (!isList) return [];
  if (unreadable === 0) return [confirmed('the records of a list carry their ids')];
  return [
    refuted(
      `${operation}: the service sends records without an id; they are left out`,
      'nothing can be asked of them or written to them; report it to the operator of the service',
    ),
  ];
}

/** A shorter time than this may lead a write to a connection that the service is closing. */
const idleSecondsMinimum = 1;

function examineKeepAlive({ headers }: Exchange): ReturnType<Examine> {
  const timeout = /timeout=(\d+)/.exec(headers['keep-alive'] ?? '')?.[1];
  if (timeout === undefined) return [];
  const finding = `the service keeps idle connections for ${timeout} s`;
  return [Number(timeout) >= idleSecondsMinimum ? confirmed(finding) : refuted(finding)];
}
