import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { messageOf } from '../../src/base/failure.ts';
import type { Json } from '../../src/base/json.ts';
import { decodeReply, encodeRequest } from '../../src/client/caller.ts';
import type { Operation } from '../../src/contract/operations.ts';
import type { ApiDocument, DocumentedOperation } from './api-document.ts';
import { type BentReply, repliesOf } from './bent-replies.ts';
import type { Contract } from './contract.ts';
import { oncePer } from './once.ts';

/** Replies of the operations that the document mentions without an entry. */
const optInReplies: Readonly<Record<string, DocumentedOperation['reply']>> = {
  getJob: { kind: 'one', resource: 'Job' },
  createOrders: { kind: 'array', resource: 'Job' },
  getReward: { kind: 'one', resource: 'Reward' },
};

/** Every documented reply that the contract does not read, or reads wrongly. */
export function readingDisagreements(contract: Contract, document: ApiDocument): string[] {
  const documented = new Map(document.operations.map(({ number, reply }) => [number, reply]));
  return [
    ...Object.values(contract.documented).map((row) => ({
      name: row.purpose,
      schema: row.reply,
      reply: documented.get(row.number ?? 0),
    })),
    ...Object.entries(contract.optIn).map(([name, row]) => ({
      name,
      schema: row.reply,
      reply: optInReplies[name],
    })),
    ...Object.entries(contract.resources).map(([name, schema]) => ({
      name,
      schema,
      reply: { kind: 'one', resource: name },
    })),
  ].flatMap(({ name, schema, reply }) => {
    const replies = repliesOf(document)[`${reply?.kind} ${reply?.resource}`];
    if (replies === undefined) return [`${name}: the document shows no such reply`];
    return schemaDisagreements(schema)(replies).map((difference) => `${name}: ${difference}`);
  });
}

const schemaDisagreements = oncePer((schema: z.ZodType) =>
  oncePer((replies: readonly BentReply[]) =>
    replies.flatMap(({ title, written, read }) => {
      const outcome = outcomeOf(schema, written);
      if (read === undefined) return outcome.kind === 'refused' ? [] : [`${title}: is taken`];
      if (outcome.kind === 'refused') return [`${title}: ${outcome.why}`];
      return isDeepStrictEqual(outcome.value, read)
        ? []
        : [`${title}: is read as ${JSON.stringify(outcome.value)}`];
    }),
  ),
);

type Outcome =
  | { readonly kind: 'read'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly why: string };

/** Decodes a reply as the client does. */
export function outcomeOf(schema: z.ZodType, written: Json | undefined): Outcome {
  const row: Operation = { purpose: 'read', method: 'GET', path: '/', isRepeatable: true, reply: schema };
  const request = encodeRequest('read', row, {}, { arrayQuery: 'repeat' });
  try {
    const reply = { status: 200, headers: {}, body: JSON.stringify(written) };
    return { kind: 'read', value: decodeReply(row, request, reply).value };
  } catch (error) {
    return { kind: 'refused', why: messageOf(error) };
  }
}
