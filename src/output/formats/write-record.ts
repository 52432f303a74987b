import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { streamOf } from '../../base/lists.ts';
import { displayWidth, hangingLines } from '../terminal/display-width.ts';
import { type Streams, writeOutput } from '../terminal/streams.ts';
import { terminalText } from '../terminal/terminal-text.ts';
import { checkFields, isTimeField, selectFields, textOf } from '../views/fields.ts';
import { shownTime } from '../views/shown-time.ts';
import type { View } from '../views/view.ts';
import { chosenFormat } from './formats.ts';
import { type OutputOptions, writeRecords } from './records.ts';

/**
 * Writes one record to stdout. A table has one line per field, so that nothing is cut; other formats equal those of
 * lists.
 * @throws Failure('usage') for an unknown field.
 */
export async function writeRecord(
  record: JsonObject,
  view: View,
  options: OutputOptions,
  streams: Streams,
): Promise<void> {
  const { fields } = options;
  const format = chosenFormat(options.format, streams);
  if (format !== 'table') {
    await writeRecords(streamOf([[record]]), view, { ...options, format }, streams);
    return;
  }
  checkFields(fields, view);
  const shown = fields === undefined ? record : selectFields(record, fields);
  await writeOutput(streams, `${fieldLines(shown, streams).join('\n')}\n`);
}

const indentation = '  ';

/** The properties of the stream that lines depend on. */
type Look = Pick<Streams, 'columns' | 'timeZone'>;

/**
 * Name and value in two columns; long values are wrapped between words. Nested fields are indented below the name, and
 * omitted if they have no value.
 */
function fieldLines(object: JsonObject, look: Look): string[] {
  const fields = Object.entries(object).map(([name, value = null]) => ({ name: terminalText(name), value }));
  const plain = fields.filter(({ value }) => !isNested(value));
  const width = Math.max(0, ...plain.map(({ name }) => displayWidth(name)));
  const inner = { ...look, columns: look.columns - indentation.length };
  return fields.flatMap(({ name, value }) => {
    if (isNested(value)) return [name, ...nestedLines(value, inner).map((line) => indentation + line)];
    const padding = ' '.repeat(width - displayWidth(name));
    const head = `${name}${padding}${indentation}`;
    const below = ' '.repeat(width + indentation.length);
    const read = isTimeField(name) ? shownTime(textOf(value), look) : value;
    return valueLines(read).flatMap((line, index) =>
      hangingLines(index === 0 ? head : below, line, look.columns),
    );
  });
}

/** True if a value has fields of its own, or is a list of such values. */
function isNested(value: Json): value is JsonObject | readonly JsonObject[] {
  if (Array.isArray(value)) return value.length > 0 && value.every(isJsonObject);
  return isJsonObject(value) && Object.keys(filledFields(value)).length > 0;
}

function nestedLines(value: JsonObject | readonly JsonObject[], look: Look): string[] {
  if (isJsonObject(value)) return fieldLines(filledFields(value), look);
  const inner = { ...look, columns: look.columns - indentation.length };
  return value.flatMap((element) => {
    const [first = '', ...rest] = fieldLines(filledFields(element), inner);
    return [`- ${first}`, ...rest.map((line) => indentation + line)];
  });
}

function filledFields(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value != null));
}

/** Texts keep their line breaks only here, where there is space for them. */
function valueLines(value: Json): string[] {
  if (typeof value === 'boolean') return [value ? 'yes' : 'no'];
  if (isJsonObject(value) || (Array.isArray(value) && value.length === 0)) return [''];
  return textOf(value).split(/\r?\n/).map(terminalText);
}
