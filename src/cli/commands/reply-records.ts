import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { View } from '../../output/views/view.ts';

/** The records in a reply: those of a page, of a list, or the reply itself. */
export function recordsIn(reply: Json): readonly JsonObject[] {
  const found = isJsonObject(reply) && Array.isArray(reply['data']) ? reply['data'] : reply;
  return [found].flat().map((record) => (isJsonObject(record) ? record : { value: record as Json }));
}

/** A view of records that no command knows: the chosen fields, else those of the first record. */
export function viewOf(first: JsonObject | undefined, fields: readonly string[] | undefined): View {
  const paths = fields ?? Object.keys(first ?? {});
  return {
    noun: 'record',
    id: 'id',
    csvColumns: paths,
    columns: paths.map((path) => ({ header: path, path })),
  };
}
