import { type ExitCode, Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { streamOf } from '../../base/lists.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { isListName, type ListName, type ListQuery } from '../../client/paginate.ts';
import { readList } from '../../client/read-list.ts';
import {
  documentedOperations,
  type Operation,
  type OperationName,
  operations,
} from '../../contract/operations.ts';
import { jsonText } from '../../output/formats/json-text.ts';
import { writeRecords } from '../../output/formats/records.ts';
import { writeOutput } from '../../output/terminal/streams.ts';
import { terminalJson } from '../../output/terminal/terminal-text.ts';
import type { View } from '../../output/views/view.ts';
import { groupFlags, repeatableFlag, switchFlag } from '../flags/flags.ts';
import { connectionFlags } from '../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../runtime/command.ts';
import { withService } from '../runtime/session.ts';
import { bodyFlag } from '../templates/record/body-from-flags.ts';
import type { OperationCall } from '../templates/record/call-failure.ts';
import { performOperation, requestText, writeFlags } from '../templates/record/perform-operation.ts';
import { readBody } from '../templates/record/read-body.ts';
import { readParameters } from '../templates/record/read-parameters.ts';

const flags = {
  ...groupFlags('Request', {
    param: {
      ...repeatableFlag({ value: 'NAME=VALUE', help: 'a path parameter; repeatable' }),
      isContent: true,
    },
    query: {
      ...repeatableFlag({
        value: 'NAME=VALUE',
        help: 'a query parameter of the API document; repeatable, also for list elements',
      }),
      isContent: true,
    },
    body: bodyFlag,
    allPages: switchFlag({ help: 'fetch every page of a list, one record per line' }),
  }),
  ...writeFlags,
  ...connectionFlags,
};
type ApiInvocation = Invocation<typeof flags>;

export const api = defineCommand({
  argument: {
    term: '[operation]',
    help: 'name of the operation (default: list all)',
    choices: Object.keys(operations),
  },
  flags,
  examples: [
    'reviewctl api',
    'reviewctl api listRewards --query status=QUEUED --query first=50',
    'reviewctl api getOrderItem --param orderId=815 --param orderItemId=1623',
    'reviewctl api createProduct --body @product.json --dry-run',
    "reviewctl api listReviews --query ratings=1 --query ratings=2 --all-pages | jq '.text'",
  ],
  exitCodes: [3, 4, 5, 6, 11],
  run: async (invocation) => {
    const [word] = invocation.args;
    if (word === undefined) return listOperations(invocation);
    const name = operationNamed(word);
    const { param, query, body } = invocation.flags;
    const call = {
      name,
      ...readParameters(name, { param, query }),
      body:
        body === undefined ? undefined : { ...(await readBody(body, invocation)), help: fieldsHelp(name) },
    };
    if (invocation.flags.allPages && !invocation.flags.dryRun)
      return printAllPages(listNamed(name), call, invocation);
    const { streams } = invocation.context;
    const exitCode = await performOperation(invocation, call, {
      reply: (sent) => writeOutput(streams, jsonText(sent, streams)),
      request: (request) => writeOutput(streams, requestText(request, streams)),
    });
    if (!invocation.flags.dryRun) warnOfBypassedJournal(name, invocation);
    return exitCode;
  },
});

const operationView: View = {
  noun: 'operation',
  id: 'name',
  csvColumns: ['number', 'method', 'path', 'name', 'purpose'],
  columns: [
    { header: 'number', path: 'number', kind: 'number' },
    { header: 'method', path: 'method', kind: 'word' },
    { header: 'path', path: 'path', kind: 'word' },
    { header: 'name', path: 'name', kind: 'word' },
  ],
};

async function listOperations({ context: { streams } }: ApiInvocation): Promise<ExitCode> {
  const rows = Object.entries(documentedOperations).map(
    ([name, { number, method, path, purpose }]): JsonObject => ({ number, method, path, name, purpose }),
  );
  await writeRecords(streamOf([rows]), operationView, {}, streams);
  return 0;
}

/** @throws Failure('usage') for a name that no operation has. */
function operationNamed(word: string): OperationName {
  if (Object.hasOwn(operations, word)) return word as OperationName;
  const meant = nearestName(word, Object.keys(operations));
  throw new Failure(
    'usage',
    `there is no operation '${word}'`,
    `${meant === undefined ? '' : `did you mean ${meant}? `}operations: ` +
      `${Object.keys(documentedOperations).join(', ')}`,
  );
}

/**
 * Commands that document the fields of a body: the command of the operation, or `schema` for entries of bulk
 * operations.
 */
const helpOfOperation: Readonly<Partial<Record<OperationName, string>>> = {
  createProduct: 'products create --help',
  updateProduct: 'products update --help',
  createCategory: 'categories create --help',
  bulkCreateCategories: 'schema categories',
  updateOrder: 'orders update --help',
  addOrderItem: 'orders add-item --help',
  updateOrderItem: 'order-items update --help',
  bulkCreateOrderItems: 'schema orders',
  updateReward: 'rewards update --help',
};

function fieldsHelp(name: OperationName): string {
  const command = helpOfOperation[name];
  const { number }: Operation = operations[name];
  const place =
    command === undefined ? `API 4${number === undefined ? '' : `.${number}`}` : `reviewctl ${command}`;
  return `${place} describes every field`;
}

/** @throws Failure('usage') for an operation that gives no pages. */
function listNamed(name: OperationName): ListName {
  if (isListName(name)) return name;
  throw new Failure('usage', `${name} is not a list and has no pages`, 'remove --all-pages');
}

async function printAllPages(
  name: ListName,
  call: OperationCall,
  invocation: ApiInvocation,
): Promise<ExitCode> {
  const { streams, stopping } = invocation.context;
  const { first, ...query } = call.query ?? {};
  const bounds = { ...(first === undefined ? {} : { first: Number(first) }), signal: stopping };
  const line = (record: Json) => {
    const json = JSON.stringify(record);
    return `${streams.isOutputTerminal ? terminalJson(json) : json}\n`;
  };
  return withService(invocation, async ({ api }) => {
    for await (const { sent } of readList(api, name, query as ListQuery<ListName>, bounds)) {
      if (!(await writeOutput(streams, sent.map(line).join('')))) break;
    }
    return 0;
  });
}

/** What a push has to know of what went past it. */
function warnOfBypassedJournal(name: OperationName, { notices }: ApiInvocation): void {
  if (!name.startsWith('bulkCreate') && name !== 'createOrders') return;
  const push = name === 'bulkCreateCategories' ? 'categories push' : 'orders push';
  notices.warning(
    'this request bypassed the journal, so a push of the same records would send them again',
    hint`${reviewctl`${push.split(' ')}`} records everything it sends`,
  );
}
