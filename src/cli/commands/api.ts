import { type ExitCode, Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import {
  documentedOperations,
  type Operation,
  type OperationName,
  operations,
} from '../../contract/operations.ts';
import type { Method } from '../../contract/wire.ts';
import { jsonText } from '../../output/formats/json-text.ts';
import { writeOutput } from '../../output/terminal/streams.ts';
import { counted } from '../../output/terminal/totals.ts';
import { number, optional, type View, word } from '../../output/views/view.ts';
import { groupFlags, repeatableFlag } from '../flags/flags.ts';
import { connectionFlags, outputFlags } from '../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../runtime/command.ts';
import { printList } from '../runtime/print.ts';
import { useService } from '../runtime/session.ts';
import { suggestion } from '../runtime/suggestion.ts';
import { bodyFlag } from '../templates/record/body-from-flags.ts';
import { performOperation, printRequest, writeFlags } from '../templates/record/perform-operation.ts';
import { readBody } from '../templates/record/read-body.ts';
import { readParameters } from '../templates/record/read-parameters.ts';
import { methodNamed, rawRequest, recordsIn, sendRaw, viewOf } from './raw-call.ts';

const flags = {
  ...groupFlags('Request', {
    param: repeatableFlag('NAME=VALUE', 'a path parameter; repeatable'),
    query: repeatableFlag('NAME=VALUE', 'query parameter of the API document; repeatable'),
    body: bodyFlag,
  }),
  ...writeFlags,
  ...outputFlags,
  ...connectionFlags,
};
type ApiInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  argument: [
    {
      term: '[operation]',
      help: 'name of the operation (default: list all), or a method: GET, POST, PATCH or PUT',
      choices: Object.keys(operations),
    },
    {
      term: '[path]',
      help: 'with a method: a path below the address of the service, called without any check',
    },
  ],
  flags,
  examples: [
    'reviewctl api',
    'reviewctl api listRewards --query status=QUEUED --query first=50',
    'reviewctl api getOrderItem --param orderId=815 --param orderItemId=1623',
    'reviewctl api createProduct --body @product.json --dry-run',
    'reviewctl api listReviews --query ratings=1 -o csv --fields id,rating,text',
    'reviewctl api GET /admin/v2/reviews --query ratings=1',
    "reviewctl api listReviews --query ratings=1 --query ratings=2 | jq '.data[].text'",
  ],
  exitCodes: [3, 4, 5, 6, 11],
  run: async (invocation): Promise<ExitCode> => {
    const [word, path] = invocation.args;
    if (word === undefined) return listOperations(invocation);
    const method = methodNamed(word);
    if (method !== undefined) return callPath(method, path, invocation);
    const name = operationNamed(word);
    if (path !== undefined)
      throw new Failure('usage', `${word} takes no path: it has its own`, `remove ${path}`);
    const { param, query, body } = invocation.flags;
    const call = {
      name,
      ...readParameters(name, { param, query }, invocation.context.streams.timeZone),
      body:
        body === undefined ? undefined : { ...(await readBody(body, invocation)), help: fieldsHelp(name) },
    };
    await performOperation(invocation, call, (sent) => printReply(sent, invocation));
    if (!invocation.flags.dryRun) warnOfBypassedJournal(name, invocation);
    return 0;
  },
});

const operationView: View = {
  noun: 'operation',
  id: 'name',
  csvColumns: ['number', 'method', 'path', 'name', 'purpose'],
  columns: [number('number'), word('method'), word('path', 'path', optional), word('name')],
};

async function listOperations(invocation: ApiInvocation): Promise<ExitCode> {
  const rows = Object.entries(documentedOperations).map(
    ([name, { number, method, path, purpose }]): JsonObject => ({ number, method, path, name, purpose }),
  );
  await printList(invocation, operationView, rows, (written) => counted(written, 'operation'));
  return 0;
}

/** Calls a path without an operation: neither the request nor the reply is checked against the API document. */
async function callPath(
  method: Method,
  path: string | undefined,
  invocation: ApiInvocation,
): Promise<ExitCode> {
  const { context, flags: given, notices } = invocation;
  if (given.param.length > 0)
    throw new Failure('usage', '--param needs the name of an operation', 'remove --param');
  const body =
    given.body === undefined ? undefined : JSON.stringify((await readBody(given.body, invocation)).value);
  const request = rawRequest({ method, path, query: given.query, body });
  if (given.dryRun) {
    await printRequest(invocation, request);
    return 0;
  }
  notices.info('neither the request nor its reply is checked against the API document');
  const service = await useService(invocation);
  const { body: text } = await sendRaw(service, request, method === 'GET' ? context.stopping : undefined);
  await printReply(parsedReply(text), invocation);
  return 0;
}

/** A reply as JSON; text that is not JSON is returned as text. */
function parsedReply(text: string): Json {
  try {
    return text.trim() === '' ? null : (JSON.parse(text) as Json);
  } catch {
    return text;
  }
}

/** Prints a reply as sent, or its records if a format or fields are chosen. */
async function printReply(sent: Json, invocation: ApiInvocation): Promise<void> {
  const { context, flags: given } = invocation;
  const { streams } = context;
  const { output: format, fields } = given;
  if (format === undefined && fields === undefined) {
    await writeOutput(streams, jsonText(sent, streams));
    return;
  }
  const records = recordsIn(sent);
  await printList(invocation, viewOf(records[0], fields), records, (written) => counted(written, 'record'));
}

/** @throws Failure('usage') for an unknown operation. */
function operationNamed(word: string): OperationName {
  if (Object.hasOwn(operations, word)) return word as OperationName;
  throw new Failure(
    'usage',
    `there is no operation '${word}'`,
    `${suggestion(word, Object.keys(operations))}operations: ` +
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

/** Warns about a request that pushes do not know about. */
function warnOfBypassedJournal(name: OperationName, { notices }: ApiInvocation): void {
  if (!name.startsWith('bulkCreate') && name !== 'createOrders') return;
  const push = name === 'bulkCreateCategories' ? 'categories push' : 'orders push';
  notices.warning(
    'this request bypassed the journal, so a push of the same records would send them again',
    hint`${reviewctl`${push.split(' ')}`} records everything it sends`,
  );
}
