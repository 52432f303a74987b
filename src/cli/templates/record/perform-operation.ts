import { Failure } from '../../../base/failure.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { encodeRequest, type Received, resolveOperation } from '../../../client/caller.ts';
import type { Service } from '../../../client/open-service.ts';
import { bodyOf, type Operation } from '../../../contract/operations.ts';
import type { WireRequest } from '../../../contract/wire.ts';
import { jsonText } from '../../../output/formats/json-text.ts';
import { writeRecord } from '../../../output/formats/write-record.ts';
import type { Streams } from '../../../output/terminal/streams.ts';
import { writeOutput } from '../../../output/terminal/streams.ts';
import { terminalText } from '../../../output/terminal/terminal-text.ts';
import { textOf } from '../../../output/views/fields.ts';
import { note, type View, word } from '../../../output/views/view.ts';
import { contradictoryReply } from '../../../push/fields/contradictory-reply.ts';
import { groupFlags, switchFlag } from '../../flags/flags.ts';
import { askFlags, type outputFlags } from '../../flags/shared-flags.ts';
import { isChangeConfirmed } from '../../runtime/ask.ts';
import type { Invocation } from '../../runtime/command.ts';
import { type ConnectionFlags, readAssumptions, useService } from '../../runtime/session.ts';
import { explainedFailure, type OperationCall } from './call-failure.ts';
import { checkBody } from './check-body.ts';
import { textIn } from './given-body.ts';

/** Flags of commands that call an operation that may write. */
export const writeFlags = {
  ...groupFlags('Sending', {
    dryRun: switchFlag('check and print the request; send nothing', 'n'),
  }),
  ...askFlags,
};

type PerformFlags = typeof writeFlags & ConnectionFlags & Pick<typeof outputFlags, 'output'>;

/**
 * Checks a call, then prints it (`--dry-run`), or sends it once and prints the reply. A write in progress is completed
 * even after an interruption, and its reply is compared with the request.
 * @throws Failure('usage') or Failure('input') for values that the document does not allow, before anything is sent; as
 * `explainedFailure` and `checkReply`.
 */
export async function performOperation(
  invocation: Invocation<PerformFlags>,
  call: OperationCall,
  printReply: (sent: Json) => Promise<unknown>,
  openService = () => useService(invocation),
): Promise<void> {
  const { context, flags } = invocation;
  const assumptions = readAssumptions(flags.assume);
  const row = resolveOperation(call.name, assumptions);
  checkGivenBody(call, row, bodyOf(row, assumptions));
  const request = encodeRequest(call.name, row, { ...call, body: call.body?.value }, assumptions);
  if (flags.dryRun) {
    return printRequest(invocation, request);
  }
  const question = questionBefore(call);
  if (question !== undefined && !(await isChangeConfirmed(question, invocation))) return;
  const service = await openService();
  const { sent } = await callOnce(service, call, row.method === 'GET' ? context.stopping : undefined);
  await printReply(sent);
  if (row.method !== 'GET') checkReply(call, sent, service.api);
}

/** @throws Failure('contradictory-reply') if the reply to a write contradicts the request. */
export function checkReply(
  call: OperationCall,
  sent: Json,
  api: Parameters<typeof contradictoryReply>[2],
): void {
  const write = { operation: call.name, params: call.params, body: call.body?.value };
  const failure = contradictoryReply(write, sent, api);
  if (failure !== undefined) throw failure;
}

/** Calls an operation by its name. @throws failures converted by `explainedFailure`. */
export async function callOnce(
  { api }: Pick<Service, 'api'>,
  call: OperationCall,
  signal: AbortSignal | undefined,
): Promise<Received<unknown>> {
  const { name, params, query, body } = call;
  try {
    const input = { params, query, body: body?.value };
    return await api.call(name, input as never, signal);
  } catch (error) {
    throw explainedFailure(error, call);
  }
}

/** @throws Failure for an unexpected or a missing body, and as `checkBody`. */
function checkGivenBody(
  { name, body }: OperationCall,
  { method }: Operation,
  schema: Operation['body'],
): void {
  if (schema === undefined && body !== undefined) {
    throw new Failure('usage', `${name} takes no body`, 'remove --body');
  }
  if (schema === undefined) return;
  if (body === undefined) {
    throw new Failure(
      'usage',
      `${name} (${method}) needs a body`,
      "pass it: --body @FILE, --body - or --body '{…}'",
    );
  }
  checkBody(name, schema, body);
}

/** The confirmation required before a call that bypasses the records of this tool. */
function questionBefore({ name, params, body }: OperationCall): string | undefined {
  const status = textIn(body, 'status');
  if (name !== 'updateReward' || status === '') return undefined;
  const change = `set reward ${params['rewardId']} to ${status}`;
  return (
    'This bypasses the ledger: use rewards settle to pay and report, and ledger resolve for open payments. Still ' +
    `${change}?`
  );
}

/** Prints the request that a dry run does not send. */
export async function printRequest(
  { context: { streams }, flags: { output }, notices }: Invocation<Pick<PerformFlags, 'output'>>,
  request: WireRequest,
): Promise<void> {
  const record = requestRecord(request);
  if (output === undefined || output === 'table') await writeOutput(streams, requestText(record, streams));
  else await writeRecord(record, requestView, { format: output }, streams);
  notices.summary('dry run, nothing was sent');
}

/** A request for people on a terminal, where null must be visible; as a record elsewhere. */
function requestText(request: JsonObject, streams: Streams): string {
  if (!streams.isOutputTerminal) return jsonText(request, streams);
  const { method, path, body } = request;
  const head = terminalText(`${textOf(method)} ${textOf(path)}`);
  return `${head}\n${body === undefined ? '' : jsonText(body, streams)}`;
}

/** A request as `--dry-run` prints it, without the credential. */
export function requestRecord({ method, path, body }: WireRequest): JsonObject {
  return { method, path, body: body === undefined ? undefined : (JSON.parse(body) as Json) };
}

export const requestView: View = {
  noun: 'request',
  id: 'path',
  csvColumns: ['method', 'path', 'body'],
  columns: [word('method'), word('path'), note('body')],
};
