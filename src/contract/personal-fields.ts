import * as z from 'zod';
import { operations } from './operations.ts';

/*
 * What of requests and replies is about persons (API 2, 4.15): who they are, what they wrote and show, and where their
 * parcels are.
 */

/** Fields and query parameters that are about a person, wherever they are. */
const personalNames: ReadonlySet<string> = new Set([
  ...['memberOriginId', 'orderMemberOriginId', 'orderName', 'orderPhone'],
  ...['userNickname', 'title', 'text', 'thumbnail', 'large'],
  ...['trackingNumber', 'value'],
]);

/** Objects of which every field is about a person. */
const personalObjects: ReadonlySet<string> = new Set(['buyer', 'recipient', 'questionAnswers']);

/** Text in words, which may quote what it is about. */
const messageNames: ReadonlySet<string> = new Set(['detail', 'msg', 'message', 'failureReason']);

/** Names of the envelope and of errors (API 2, 7), which are not among the fields of resources. */
const otherNames = ['loc', 'type'];

/** What a field may hold: something about a person, text that may quote it, or neither. */
export type FieldKind = 'personal' | 'message' | 'plain';

/** The kind of a field, by its name; one that the document does not name may hold anything. */
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
