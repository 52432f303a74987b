import * as z from 'zod';
import { operations } from './operations.ts';

/*
 * The personal data in requests and replies (API 2, 4.15): identities, texts and media of reviews, and
 * delivery addresses.
 */

/** Fields and query parameters that are personal in any object. */
const personalNames: ReadonlySet<string> = new Set([
  ...['memberOriginId', 'orderMemberOriginId', 'orderName', 'orderPhone'],
  ...['userNickname', 'title', 'text', 'thumbnail', 'large'],
  ...['trackingNumber', 'value'],
]);

/** Objects of which all fields are personal. */
const personalObjects: ReadonlySet<string> = new Set(['buyer', 'recipient', 'questionAnswers']);

/** Free text, which may quote personal data. */
const messageNames: ReadonlySet<string> = new Set(['detail', 'msg', 'message', 'failureReason']);

/** Names in the envelope and in errors (API 2, 7), which no resource has. */
const otherNames = ['loc', 'type'];

/** The content of a field: personal data, text that may quote it, or neither. */
export type FieldKind = 'personal' | 'message' | 'plain';

/** The kind of a field, by its name; one that is not documented may contain anything. */
export function fieldKind(name: string): FieldKind {
  if (personalNames.has(name) || personalObjects.has(name)) return 'personal';
  if (messageNames.has(name)) return 'message';
  documented ??= documentedNames();
  return documented.has(name) ? 'plain' : 'personal';
}

let documented: ReadonlySet<string> | undefined;

function documentedNames(): ReadonlySet<string> {
  const names = new Set(otherNames);
  for (const operation of Object.values(operations)) {
    const { reply, body, extraBody, query }: Partial<Record<string, unknown>> = operation;
    for (const schema of [reply, body, extraBody, query]) addNames(schema, names);
  }
  return names;
}

function addNames(schema: unknown, names: Set<string>): void {
  if (schema instanceof z.ZodObject) {
    for (const [name, field] of Object.entries(schema.shape)) {
      names.add(name);
      addNames(field, names);
    }
  } else if (schema instanceof z.ZodArray) addNames(schema.element, names);
  else if (schema instanceof z.ZodCodec) addNames(schema.out, names);
  else if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  )
    addNames(schema.unwrap(), names);
}
