import { sentenceList } from '../base/sentence-list.ts';
import { bulkEntriesMaximum } from './limits.ts';

/** One of several words; the first is the default. */
interface Choice<Word extends string> {
  readonly kind: 'choice';
  readonly words: readonly [Word, ...Word[]];
  readonly help: string;
}

/** A method and a path; unset by default. */
interface Path {
  readonly kind: 'path';
  /** The method and path of the sandbox; a service's own must have the same parameters. */
  readonly example: string;
  readonly help: string;
}

interface List {
  readonly kind: 'list';
  readonly words: readonly string[];
  readonly help: string;
}

interface Count {
  readonly kind: 'count';
  readonly count: number;
  readonly help: string;
}

type Assumption = Choice<string> | Path | List | Count;

function choice<const Word extends string>(words: readonly [Word, ...Word[]], help: string): Choice<Word> {
  return { kind: 'choice', words, help };
}

function path(example: string, help: string): Path {
  return { kind: 'path', example, help };
}

function list(words: readonly string[], help: string): List {
  return { kind: 'list', words, help };
}

function count(most: number, help: string): Count {
  return { kind: 'count', count: most, help };
}

/**
 * Everything that the API document leaves open, by name, with its default. The first part affects the client. The
 * second determines the behaviour of the sandbox, so that clients can be tried under every setting.
 */
export const assumptionTable = {
  arrayQuery: choice(
    ['repeat', 'comma', 'brackets'],
    'How array query parameters are written: a=1&a=2, a=1,2 or a[]=1&a[]=2 (API 4: not shown).',
  ),
  getJob: path(
    'GET /admin/v2/job/{jobId}',
    'The operation that fetches one bulk job (API 4: referred to, not shown).',
  ),
  createOrders: path(
    'POST /admin/v2/orders/bulk',
    'The operation that creates whole orders in bulk (API 4: referred to, not shown).',
  ),
  getReward: path(
    'GET /admin/v2/reward/{rewardId}',
    'The operation that fetches one reward (API 4: referred to, not shown).',
  ),
  pendingJobStatuses: list(
    ['PENDING', 'RUNNING', 'STARTED', 'PROCESSING'],
    'The job statuses that mean "not ended yet" (API 3: one observed value).',
  ),
  succeededJobStatuses: list(
    ['SUCCESS', 'SUCCEEDED'],
    'The job statuses that mean "created", also without successObjectId (API 3: not shown).',
  ),
  failedJobStatuses: list(
    ['FAILURE', 'FAILED'],
    'The job statuses that mean "not created", also without failureReason (API 3: not shown).',
  ),
  categoryBulkMaximum: count(
    bulkEntriesMaximum,
    'The maximum number of entries in one bulk creation of categories (API 4: not shown).',
  ),
  bulkExtraFields: choice(
    ['refused', 'taken'],
    'Whether bulk creation of order items accepts the other fields of an item (API 4.14: not shown).',
  ),

  unknownFields: choice(
    ['refuse', 'ignore'],
    'Whether an undocumented parameter or field is refused or ignored (API 4: not shown).',
  ),
  successStatus: choice(
    ['200', '201'],
    'The status of a successful creation (API 4: not shown); the client accepts any 2xx.',
  ),
  validationStatus: choice(['422', '400'], 'The status of a failed validation (API 7: not shown).'),
  errorDetail: choice(
    ['array', 'string', 'object', 'empty', 'html'],
    'The shape of error bodies (API 7 shows the array for some operations only).',
  ),
  locIndex: choice(['string', 'integer'], 'How `loc` names an entry of a bulk array (API 7 says strings).'),
  unauthenticatedStatus: choice(
    ['401', '403'],
    'The status of a request without a valid credential (API 7: not shown).',
  ),
  bulkBadEntry: choice(
    ['refuse-request', 'fail-job'],
    'Whether one invalid entry refuses the whole bulk request or fails only its own job (not shown).',
  ),
  duplicateOriginId: choice(
    ['refuse', 'accept'],
    'The result of creating a record with an existing originId (not shown); accept creates a second record.',
  ),
  groupName: choice(
    ['may-duplicate', 'unique'],
    'Whether two concurrent creations with the same new groupName share a group (API 4.1: not shown).',
  ),
  defaultsOnUpdate: choice(
    ['keep', 'apply'],
    'Whether a field omitted from an update keeps its value or returns to a default (API 4.4 prints two); ' +
      'with apply, every update sends all known values.',
  ),
  writeReply: choice(
    ['current', 'earlier'],
    'Whether the reply to a write shows the record after the write, for comparison with the request, ' +
      'or before it (API 4: not shown).',
  ),
  paidPriceReply: choice(
    ['string', 'number'],
    'The type of paidPrice in replies (API 2 contradicts its input type).',
  ),
  isAlimtalkEnabledReply: choice(
    ['string', 'boolean'],
    'The type of isAlimtalkEnabled in replies (API 2: boolean on input, string in the description).',
  ),
  imageUrlReply: choice(
    ['as-given', 'rehosted'],
    'Whether image.url is the imageUrl as sent or the address of a copy (API 2: not shown).',
  ),
  emptyFields: choice(
    ['null', 'missing'],
    'Whether a reply writes a field without a value as null or omits it (not shown).',
  ),
  replyScalars: choice(
    ['documented', 'swapped'],
    'swapped writes numbers as strings and digits as numbers, as loose services do (not shown).',
  ),
  timeRangeEnd: choice(
    ['inclusive', 'exclusive'],
    'Whether a time range includes its End (API 4.15, 4.18: not shown).',
  ),
  rewardTimeMeans: choice(
    ['review', 'reward'],
    'Which record the time filters of the reward list apply to (API 4.18: not shown).',
  ),
  rewardStatusAfterWebhook: choice(
    ['changes', 'stays'],
    'Whether a webhook answer changes the status of the reward at once (API 3: not shown).',
  ),
  rewardTransitions: choice(
    ['from-queued', 'any'],
    'Which status changes a reward update accepts (API 3 shows those from QUEUED).',
  ),
  webhookRedirect: choice(
    ['ignored', 'failure'],
    'What a 3xx answer to a webhook means (API 6: 2xx is paid, 4xx and 5xx are failures).',
  ),
  webhookRedelivery: choice(
    ['never', 'on-failure', 'always'],
    'Whether a reward webhook is delivered again (API 6: not shown).',
  ),
} as const satisfies Readonly<Record<string, Assumption>>;

type Table = typeof assumptionTable;
export type AssumptionName = keyof Table;
type PathName = { [Name in AssumptionName]: Table[Name] extends Path ? Name : never }[AssumptionName];
type ValueOf<A> = A extends Choice<infer Word> ? Word : A extends List ? readonly string[] : number;

export type Assumptions = { readonly [Name in PathName]?: string | undefined } & {
  readonly [Name in Exclude<AssumptionName, PathName>]: ValueOf<Table[Name]>;
};

/** Every assumption at its default. */
export const defaultAssumptions = Object.fromEntries(
  Object.entries(assumptionTable).flatMap(([name, assumption]) => {
    const value = defaultOf(assumption);
    return value === undefined ? [] : [[name, value]];
  }),
) as Assumptions;

function defaultOf(assumption: Assumption): string | number | readonly string[] | undefined {
  switch (assumption.kind) {
    case 'choice':
      return assumption.words[0];
    case 'path':
      return undefined;
    case 'list':
      return assumption.words;
    case 'count':
      return assumption.count;
  }
}

const methodAndPath = /^(GET|POST|PATCH|PUT) \/\S*$/;

const parametersOf = (path: string) => (path.match(/\{[^{}]*\}/g) ?? []).join();

function pathOrFault(text: string, example: string): { readonly value: string } | { readonly fault: string } {
  const parameters = parametersOf(example);
  return methodAndPath.test(text) && parametersOf(text) === parameters
    ? { value: text }
    : { fault: `expected a method and a path with ${parameters || 'no parameter'}, such as "${example}"` };
}

/** Parses the text of an assumption; returns its value, or why it is invalid. */
export function readAssumption(
  name: AssumptionName,
  text: string,
): { readonly value: string | number | readonly string[] } | { readonly fault: string } {
  const assumption: Assumption = assumptionTable[name];
  switch (assumption.kind) {
    case 'choice':
      return assumption.words.includes(text)
        ? { value: text }
        : { fault: `expected ${sentenceList(assumption.words, 'or')}` };
    case 'path':
      return pathOrFault(text, assumption.example);
    case 'list':
      return text.split(',').includes('')
        ? { fault: 'expected words separated by commas' }
        : { value: text.split(',') };
    case 'count':
      return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text))
        ? { value: Number(text) }
        : { fault: 'expected a whole number of at least 1' };
  }
}
