import { Failure } from '../../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../../base/hint.ts';
import type { ArgumentText } from '../../runtime/command.ts';

/** The noun of a path parameter (API 4), and how to find its id. */
interface Identified {
  readonly noun: string;
  /** The source of the service's id for an originId, if such records have an originId. */
  readonly search?: 'list' | 'journal';
  /** The command to run; `word` was mistaken for an id, and is often the client's own. */
  find(word: string): HintText;
}

const identified: Readonly<Record<string, Identified>> = {
  productId: {
    noun: 'product',
    search: 'list',
    find: (word) => reviewctl`products list --origin-ids ${word} -o ids`,
  },
  productGroupId: {
    noun: 'product group',
    find: (word) => reviewctl`product-groups list --name ${word}`,
  },
  orderId: {
    noun: 'order',
    search: 'journal',
    find: (word) => reviewctl`reviews list --order-origin-ids ${word} --fields order.id,orderItem.id`,
  },
  orderItemId: {
    noun: 'order item',
    search: 'journal',
    find: () => reviewctl`orders get ORDER_ID --fields items`,
  },
  reviewId: {
    noun: 'review',
    find: () => reviewctl`reviews list -o ids`,
  },
  rewardId: {
    noun: 'reward',
    find: () => reviewctl`rewards list -o ids`,
  },
};

/** The prefix of an originId that replaces the service's id. */
const originMark = 'origin:';

/** A path parameter as an argument of a command. */
export function pathArgument(parameter: string): ArgumentText {
  const origin = searchOf(parameter) === undefined ? '' : `, or your own as ${originMark}ID`;
  return {
    term: `<${parameter}>`,
    help: `the id assigned by the service to the ${nounOf(parameter)}${origin}`,
  };
}

/** The source of a path parameter's id for an originId; undefined if such records have no originId. */
export function searchOf(parameter: string): Identified['search'] {
  return identified[parameter]?.search;
}

/**
 * The originId in `origin:ID`; undefined for an id of the service.
 * @throws Failure('usage') for an empty one, and if such records have no originId.
 */
export function originIdIn(parameter: string, word: string): string | undefined {
  if (!word.startsWith(originMark)) return undefined;
  const originId = word.slice(originMark.length);
  if (searchOf(parameter) !== undefined && originId !== '') return originId;
  const noun = nounOf(parameter);
  const reason =
    originId === '' ? 'has no originId' : `cannot be looked up, since no ${noun} has an originId`;
  throw new Failure('usage', `'${word}' ${reason}`, findHint(parameter, originId));
}

/** The noun of a path parameter: `product`. */
export function nounOf(parameter: string): string {
  return identified[parameter]?.noun ?? parameter;
}

/** A hint for finding the id of a path parameter if `word` is not an id. */
export function findHint(parameter: string, word: string): HintText {
  const find = identified[parameter]?.find(word);
  const remedy = 'use the id assigned by the service, not your own';
  return find === undefined ? remedy : hint`${remedy}; to find it: ${find}`;
}

/** The argument of every command for several reviews. */
export const reviewIdsArgument: ArgumentText = {
  term: '<reviewId...>',
  help: 'the ids assigned by the service to the reviews; - for standard input, one a line, or NDJSON with an id',
};
