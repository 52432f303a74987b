import * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import type { JsonObject } from '../../../base/json.ts';
import { documentedOperations, type Operation, pathParameters } from '../../../contract/operations.ts';
import { checkFields } from '../../../output/views/fields.ts';
import type { View } from '../../../output/views/view.ts';
import type { FlagSet } from '../../flags/flags.ts';
import { connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import { type CommandDefinition, defineCommand, type Invocation } from '../../runtime/command.ts';
import { printRecord } from '../../runtime/print.ts';
import { useService } from '../../runtime/session.ts';
import { type BodyField, bodyFields, bodyFlags, typedName } from './body-flags.ts';
import { bodyFlag, bodyFromFlags } from './body-from-flags.ts';
import type { OperationCall } from './call-failure.ts';
import type { GivenBody } from './given-body.ts';
import { pathArgument } from './path-arguments.ts';
import { callOnce, performOperation, writeFlags } from './perform-operation.ts';

/** The documented operations that answer with one record. */
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

/** A command that fetches one record: its path parameters are the arguments. */
export function getCommand({ operation, view, examples }: RecordCommand): CommandDefinition {
  const parameters = pathParameters(documentedOperations[operation].path);
  return defineCommand({
    argument: parameters.map(pathArgument),
    flags: readingFlags,
    examples,
    exitCodes: [4, 5, 6],
    run: async (invocation) => {
      const service = await useService(invocation);
      const call = { name: operation, params: paramsOf(parameters, invocation.args) };
      const { sent } = await callOnce(service, call, invocation.context.stopping);
      await printRecord(invocation, view, sent as JsonObject);
      return 0;
    },
  });
}

/**
 * A command that writes one record and prints it as stored by the service. Its arguments are the path parameters and
 * its flags the fields of the body, both derived from the row of the operation.
 */
export function writeCommand({ operation, view, examples }: RecordCommand): CommandDefinition {
  const row: Operation = documentedOperations[operation];
  const parameters = pathParameters(row.path);
  const isUpdate = row.method === 'PATCH';
  const fields = row.body instanceof z.ZodObject ? bodyFields(row.body) : [];
  const flags: FlagSet = row.body === undefined ? {} : { ...bodyFlags(fields, { isUpdate }), body: bodyFlag };
  return defineCommand({
    argument: parameters.map(pathArgument),
    flags: { ...flags, ...writingFlags },
    examples,
    exitCodes: [
      ...(row.body === undefined ? [] : [3 as const]),
      4,
      5,
      6,
      ...(row.isRepeatable ? [] : [11 as const]),
    ],
    run: async (invocation: Invocation<typeof writingFlags>) => {
      checkFields(invocation.flags.fields, view);
      const params = paramsOf(parameters, invocation.args);
      const body =
        row.body === undefined ? undefined : await bodyFromFlags(fields, invocation.flags, invocation);
      if (isUpdate && body !== undefined) requireChange(operation, fields, body);
      const call: OperationCall = { name: operation, params, body };
      return performOperation(invocation, call, (sent) => printRecord(invocation, view, sent as JsonObject));
    },
  });
}

function paramsOf(parameters: readonly string[], args: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(parameters.map((parameter, index) => [parameter, args[index] ?? '']));
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
