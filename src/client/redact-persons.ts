import { createHmac, randomBytes } from 'node:crypto';
import { isDeeperThan, isJsonObject, type Json, type JsonObject, levelsMaximum } from '../base/json.ts';
import { type FieldKind, fieldKind } from '../contract/personal-fields.ts';
import { queryParameters } from '../contract/query-string.ts';

/**
 * The parts of an exchange that may contain personal data: path and query, and the bodies. A body that is no
 * JSON, or too deep, is removed.
 */
interface ExchangeTexts {
  readonly path: string;
  readonly asked: string | undefined;
  readonly answered: string | undefined;
}

/** Replaces personal data in exchanges. Within one recording, equal values have equal replacements. */
export type RedactPersons = (texts: ExchangeTexts) => ExchangeTexts;

type Hide = (value: string) => string;

/** A shorter value is a word that may occur in any text. */
const quotedLengthMinimum = 2;
/** E-mail addresses, and words that might have begun one: so that each word is read once. */
const addressesAndWords = /[\w.+-]+(@[\w-]+(?:\.[\w-]+)+)?/g;
const telephoneNumbers = /\+?\b\d{2,4}[- ]\d{3,4}[- ]\d{4}\b|\b01\d{8,9}\b/g;

/** Replaces personal data by words that cannot be traced back: the key is discarded with the recording. */
export function createPersonRedactor(): RedactPersons {
  const key = randomBytes(32);
  const hide: Hide = (value) =>
    value === '' ? '' : `person-${createHmac('sha256', key).update(value).digest('hex').slice(0, 12)}`;
  return ({ path, asked, answered }) => {
    const bodies = [parsed(asked), parsed(answered)];
    let quotable: readonly string[] | undefined;
    const mask: Hide = (message) => {
      quotable ??= [
        ...personalIn(path),
        ...bodies.flatMap((body) => (body ? [...personalValues(body.json)] : [])),
      ];
      return masked(message, quotable, hide);
    };
    const [redactedAsked, redactedAnswered] = bodies.map(
      (body) => body && JSON.stringify(redacted(body.json, 'message', hide, mask)),
    );
    return { path: redactedPath(path, hide), asked: redactedAsked, answered: redactedAnswered };
  };
}

function parsed(text: string | undefined): { readonly json: Json } | undefined {
  if (text === undefined) return undefined;
  try {
    const json = JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
    return isDeeperThan(json, levelsMaximum) ? undefined : { json };
  } catch {
    return undefined;
  }
}

function masked(message: string, quotable: readonly string[], hide: Hide): string {
  const values = quotable.filter((value) => value.length >= quotedLengthMinimum);
  return values
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, value) => text.replaceAll(value, hide(value)), message)
    .replace(addressesAndWords, (found, host?: string) => (host === undefined ? found : hide(found)))
    .replace(telephoneNumbers, hide);
}

/** `json` with all values of persons replaced, and with personal data removed from messages. */
function redacted(json: Json, kind: FieldKind, hide: Hide, mask: Hide): Json {
  if (Array.isArray(json))
    return (json as readonly Json[]).map((element) => redacted(element, kind, hide, mask));
  if (isJsonObject(json)) {
    return Object.fromEntries(
      fieldsOf(json, kind).map(([name, field, inner]) => [name, redacted(field, inner, hide, mask)]),
    );
  }
  if (kind === 'personal') return isText(json) ? hide(String(json)) : json;
  return kind === 'message' && typeof json === 'string' ? mask(json) : json;
}

function* personalValues(json: Json, kind: FieldKind = 'plain'): Generator<string> {
  if (Array.isArray(json)) {
    for (const element of json as readonly Json[]) yield* personalValues(element, kind);
  } else if (isJsonObject(json)) {
    for (const [, field, inner] of fieldsOf(json, kind)) yield* personalValues(field, inner);
  } else if (kind === 'personal' && isText(json)) yield String(json);
}

/** The fields of an object, each with its kind; all fields of a person are personal. */
function fieldsOf(json: JsonObject, kind: FieldKind): (readonly [string, Json, FieldKind])[] {
  return Object.entries(json).map(([name, field]) => [
    name,
    field ?? null,
    kind === 'personal' ? kind : fieldKind(name),
  ]);
}

function isText(json: Json): json is string | number {
  return typeof json === 'string' || typeof json === 'number';
}

/** Each parameter keeps its notation, since that is evidence of the array style. */
function redactedPath(path: string, hide: Hide): string {
  return path.replace(queryParameters, (pair, mark: string, name: string, value?: string) =>
    value !== undefined && isPersonalParameter(name) ? `${mark}${name}=${hide(decoded(value))}` : pair,
  );
}

function* personalIn(path: string): Generator<string> {
  for (const [, , name = '', value = ''] of path.matchAll(queryParameters)) {
    if (isPersonalParameter(name)) yield decoded(value);
  }
}

function isPersonalParameter(name: string): boolean {
  return fieldKind(name.replace(/\[\]$/, '')) === 'personal';
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value;
  }
}
