import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { lazy } from '../../../base/lazy.ts';
import { documentedOperations, type Operation, pathParameters } from '../../../contract/operations.ts';
import type { Product } from '../../../contract/resources.ts';
import { checkFields } from '../../../output/views/fields.ts';
import type { View } from '../../../output/views/view.ts';
import type { FlagSet } from '../../flags/flags.ts';
import { connectionFlags, outputFlags, stateFlags } from '../../flags/shared-flags.ts';
import { type CommandDefinition, defineCommand, type Invocation } from '../../runtime/command.ts';
import { printRecord } from '../../runtime/print.ts';
import { readAssumptions, type Session, useService } from '../../runtime/session.ts';
import { type BodyField, bodyFields, bodyFlags, typedName } from './body-flags.ts';
import { bodyFlag, bodyFromFlags } from './body-from-flags.ts';
import type { OperationCall } from './call-failure.ts';
import type { GivenBody } from './given-body.ts';
import type { LearnedWrite } from './learn-write.ts';
import { originIdIn, pathArgument, searchOf } from './path-arguments.ts';
import { callOnce, performOperation, writeFlags } from './perform-operation.ts';
import { withKnownValues, withWholeParts } from './whole-parts.ts';

/** The documented operations that reply with one record. */
type RecordOperation = Exclude<
  keyof typeof documentedOperations,
  `list${string}` | 'bulkCreateCategories' | 'bulkCreateOrderItems'
>;

interface RecordCommand {
  readonly operation: RecordOperation;
  readonly view: View;
  readonly examples: readonly string[];
}

const readingFlags = { ...outputFlags, ...connectionFlags };
const writingFlags = { ...writeFlags, ...readingFlags };

/**
 * A command that fetches or writes one record and prints it as stored by the service. Its arguments are the path
 * parameters and its flags the fields of the body, both derived from the row of the operation.
 */
export function recordCommand({ operation, view, examples }: RecordCommand): CommandDefinition {
  const row: Operation = documentedOperations[operation];
  const parameters = pathParameters(row.path);
  const isLearned = learned.has(operation);
  const journal = journalOf(parameters, isLearned);
  const isUpdate = row.method === 'PATCH';
  const isWrite = row.method !== 'GET';
  const fields = row.body instanceof z.ZodObject ? bodyFields(row.body) : [];
  const flags: FlagSet = row.body === undefined ? {} : { ...bodyFlags(fields, { isUpdate }), body: bodyFlag };
  return defineCommand({
    argument: parameters.map(pathArgument),
    flags: {
      ...flags,
      ...((isWrite ? writingFlags : readingFlags) as typeof writingFlags),
      ...journal.flags,
    },
    examples,
    exitCodes: [
      ...(row.body === undefined ? [] : [3 as const]),
      4,
      5,
      6,
      ...journal.exitCodes,
      ...(row.isRepeatable ? [] : [11 as const]),
    ],
    run: async (invocation: Invocation<typeof writingFlags & typeof stateFlags>) => {
      if (isWrite) checkFields(invocation.flags.fields, view);
      const body =
        row.body === undefined ? undefined : await bodyFromFlags(fields, invocation.flags, invocation);
      if (isUpdate && body !== undefined) requireChange(operation, fields, body);
      const openService = lazy(() => useService(invocation));
      const params = await paramsOf(parameters, openService, invocation);
      const given: Readonly<Record<string, unknown>> = invocation.flags;
      const isInParts = isUpdate && body !== undefined && given['body'] === undefined;
      const whole = isInParts
        ? await completed({ name: operation, params, body }, fields, openService, invocation)
        : body;
      const call: OperationCall = { name: operation, params, body: whole };
      const print = async (sent: Json) => {
        if (isLearned) {
          const { learnWrite } = await import('./learn-write.ts');
          const write = { operation, body: whole?.value } as LearnedWrite;
          await learnWrite(write, sent, await openService(), invocation);
        }
        await printRecord(invocation, view, sent as JsonObject);
      };
      return performOperation(invocation, call, print, openService);
    },
  });
}

/** The operations whose writes later pushes have to know about. */
const learned: ReadonlySet<RecordOperation> = new Set([
  'updateOrder',
  'addOrderItem',
  'updateOrderItem',
  'updateProduct',
] as const);

/** Completes the body of an update by flags with values of the stored record that the update would lose. */
async function completed(
  { name, params, body }: OperationCall & { readonly body: GivenBody },
  fields: readonly BodyField[],
  openService: () => Promise<Session>,
  { flags, notices }: Invocation<typeof readingFlags>,
): Promise<GivenBody> {
  const show = async (by: RecordOperation) => callOnce(await openService(), { name: by, params }, undefined);
  const assumptions = readAssumptions(flags.assume);
  if (name === 'updateProduct' && assumptions.defaultsOnUpdate === 'apply')
    return withKnownValues(body, (await show('getProduct')).value as Product, assumptions);
  const showOrder = lazy(async () => (await show('getOrder')).sent as JsonObject);
  return withWholeParts(body, fields, name === 'updateOrder' ? showOrder : undefined, notices);
}

/** The flags and exit codes of commands that use the journal, if only to look up an argument; empty for others. */
function journalOf(parameters: readonly string[], isUsed = false) {
  const isRead = isUsed || parameters.some((parameter) => searchOf(parameter) === 'journal');
  return { flags: isRead ? stateFlags : ({} as typeof stateFlags), exitCodes: isRead ? [9 as const] : [] };
}

/**
 * The path parameters from the arguments; each `origin:ID` is replaced by the service's id.
 * @throws as `originIdIn` and `serviceId`.
 */
async function paramsOf(
  parameters: readonly string[],
  openService: () => Promise<Session>,
  invocation: Invocation<typeof readingFlags & typeof stateFlags>,
): Promise<OperationCall['params']> {
  const params: Record<string, string> = {};
  for (const [index, parameter] of parameters.entries()) {
    const word = invocation.args[index] ?? '';
    const originId = originIdIn(parameter, word);
    if (originId === undefined) {
      params[parameter] = word;
      continue;
    }
    const { serviceId } = await import('./service-id.ts');
    params[parameter] = await serviceId(parameter, originId, await openService(), invocation);
  }
  return params;
}

/** @throws Failure('usage') for an update that would change nothing. */
function requireChange(operation: string, fields: readonly BodyField[], { value }: GivenBody): void {
  if (typeof value !== 'object' || value === null || Object.keys(value).length > 0) return;
  throw new Failure(
    'usage',
    `${operation}: nothing to change`,
    `pass one of ${fields.map(typedName).join(', ')}, or --body`,
    { operation },
  );
}
