import { type ExitCode, Failure } from '../base/failure.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { encodeRequest, type Received, resolveOperation } from '../client/caller.ts';
import type { Service } from '../client/open-service.ts';
import { bodyOf, type Operation } from '../contract/operations.ts';
import type { WireRequest } from '../contract/wire.ts';
import type { View } from '../output/view.ts';
import { writeRecord } from '../output/write-record.ts';
import { isConfirmed } from './ask.ts';
import { explainedFailure, type OperationCall } from './call-failure.ts';
import { checkBody } from './check-body.ts';
import type { Invocation } from './command.ts';
import { groupFlags, switchFlag } from './flags.ts';
import { textIn } from './given-body.ts';
import { type ConnectionFlags, readAssumptions, withService } from './session.ts';

/** Of every command that calls an operation that may write. */
export const writeFlags = groupFlags('Sending', {
  dryRun: switchFlag({ short: 'n', help: 'check everything and print the request; send nothing' }),
});

type PerformFlags = typeof writeFlags & ConnectionFlags;

/**
 * Checks a call, shows it (`--dry-run`) or sends it once, and hands the reply, as the service sent it, to `show`. A write that
 * is under way is finished whatever happens.
 * @throws Failure('usage') or Failure('input') for what the document does not take, before anything is sent; what
 *   `explainedFailure` makes of a call that failed.
 */
export async function performOperation(
  invocation: Invocation<PerformFlags>,
  call: OperationCall,
  show: (sent: Json) => Promise<void>,
): Promise<ExitCode> {
  const { context, flags, notices } = invocation;
  const assumptions = readAssumptions(flags.assume);
  const row = resolveOperation(call.name, assumptions);
  checkGivenBody(call, row, bodyOf(row, assumptions));
  const request = encodeRequest(call.name, row, { ...call, body: call.body?.value }, assumptions);
  if (flags.dryRun) {
    await writeRecord(requestRecord(request), requestView, {}, context.streams);
    notices.summary('dry run, nothing was sent');
    return 0;
  }
  const question = questionBefore(call);
  if (question !== undefined && !(await isConfirmed(question, flags, context))) {
    notices.summary('nothing was changed');
    return 0;
  }
  return withService(invocation, async (service) => {
    const { sent } = await callOnce(service, call, row.method === 'GET' ? context.stopping : undefined);
    await show(sent);
    return 0;
  });
}

/** Calls an operation that is known by its name alone. @throws what `explainedFailure` makes of a failure. */
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

/** @throws Failure for a body where none is taken, for none where one is, and as `checkBody`. */
function checkGivenBody(
  { name, body }: OperationCall,
  { method }: Operation,
  schema: Operation['body'],
): void {
  if (schema === undefined && body !== undefined) {
    throw new Failure('usage', `${name} takes no body`, 'leave --body out');
  }
  if (schema === undefined) return;
  if (body === undefined) {
    throw new Failure(
      'usage',
      `${name} (${method}) needs a body`,
      "give it: --body @FILE, --body - or --body '{…}'",
    );
  }
  checkBody(name, schema, body);
}

/** What a person is asked before a call that goes around what this tool keeps on record. */
function questionBefore({ name, params, body }: OperationCall): string | undefined {
  if (name !== 'updateReward') return undefined;
  const change = `set reward ${params['rewardId']} to ${textIn(body, 'status')}`;
  return `This bypasses the ledger: rewards settle pays and reports, ledger resolve settles what is open. Still ${change}?`;
}

/** A request as `--dry-run` prints it; the credential is no part of it. */
export function requestRecord({ method, path, body }: WireRequest): JsonObject {
  return { method, path, ...(body === undefined ? {} : { body: JSON.parse(body) as Json }) };
}

export const requestView: View = {
  noun: 'request',
  id: 'path',
  csvColumns: ['method', 'path', 'body'],
  columns: [
    { header: 'method', path: 'method', kind: 'word' },
    { header: 'path', path: 'path', kind: 'word' },
    { header: 'body', path: 'body', kind: 'text', width: 20 },
  ],
};
