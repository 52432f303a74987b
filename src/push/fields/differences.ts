import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { boolean, decimal, readScalar, text } from '../../contract/reply-codecs.ts';
import { carrierReader, readTrackingNumber } from '../../input/cells/shipment.ts';
import { readImageUrl, readText } from '../../input/cells/text.ts';

/** A field with another value than intended. */
export interface Difference {
  /** The name of the field in a body, such as `shipment.trackingNumber` for a nested one. */
  readonly field: string;
  readonly meant: Json;
  readonly shown: Json;
}

/** The values of a field; `had` is the value that the service showed before, if known. */
interface Values {
  readonly meant: Json | undefined;
  readonly had?: Json | undefined;
  readonly shown: Json | undefined;
}

/**
 * The standard of comparison. Under `exact`, everything counts as different unless it is known to be the same. Under
 * `proof`, only proven differences count: a missing or unreadable value proves nothing, and neither does null unless
 * the service is known to have shown a value.
 */
type Standard = 'exact' | 'proof';

/** True if two values of a field are the same, in any notation. */
export function isSame(field: string, meant: Json, shown: Json): boolean {
  return differencesIn(field, { meant, shown }, 'exact').length === 0;
}

/** The differences between the values of a field. Different notations of one value are equal. */
export function differencesIn(field: string, values: Values, standard: Standard): readonly Difference[] {
  const { meant, had, shown } = values;
  if (meant === undefined || shown === undefined || meant === shown) return [];
  if (standard === 'proof' && shown === null && had == null) return [];
  if (isEmpty(meant) && isEmpty(shown)) return [];
  if (Array.isArray(meant)) return differencesInList(field, meant as readonly Json[], shown, standard);
  if (isJsonObject(meant)) return differencesInParts(field, { ...values, meant }, standard);
  return isOther(field, meant, shown, standard) ? [{ field, meant, shown }] : [];
}

function differencesInParts(
  field: string,
  { meant, had, shown }: Values & { readonly meant: JsonObject },
  standard: Standard,
): readonly Difference[] {
  const isExact = standard === 'exact';
  const others = isExact && isJsonObject(shown) ? Object.keys(shown) : [];
  const orNone = (part: Json | undefined) => (isExact ? (part ?? null) : part);
  const differences = [...new Set([...Object.keys(meant), ...others])].flatMap((name) => {
    const part = { meant: orNone(meant[name]), had: partOf(had, name), shown: orNone(partOf(shown, name)) };
    return differencesIn(`${field}.${name}`, part, standard);
  });
  return isExact || !isJsonObject(had)
    ? differences
    : [...differences, ...partsLeft(field, meant, had, shown)];
}

/** Parts that an update omitted in order to remove them, but that are still shown unchanged. */
function partsLeft(
  field: string,
  meant: JsonObject,
  had: JsonObject,
  shown: Json | undefined,
): readonly Difference[] {
  return Object.entries(had).flatMap(([name, part]) =>
    part != null && meant[name] === undefined && partOf(shown, name) === part
      ? [{ field: `${field}.${name}`, meant: null, shown: part }]
      : [],
  );
}

/** The value of a field of an object; null for null. */
export function partOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : value === null ? null : undefined;
}

function isEmpty(value: Json): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/**
 * Lists whose entries are identified by an originId. An order may have other items, which an update may leave alone.
 */
const keyedLists: ReadonlySet<string> = new Set(['categories', 'items']);

function differencesInList(
  field: string,
  meant: readonly Json[],
  shown: Json,
  standard: Standard,
): readonly Difference[] {
  const difference = [{ field, meant, shown }];
  const unclear = standard === 'exact' ? difference : [];
  const list = shown === null ? [] : shown;
  if (!Array.isArray(list)) return unclear;
  const has = list as readonly Json[];
  if (!keyedLists.has(field)) return isSameSet(meant, has) ? [] : difference;
  const [wanted, entries] = [keyed(meant), keyed(has)];
  if (wanted === undefined || entries === undefined) return unclear;
  const isWhole = field === 'items' || entries.size === wanted.size;
  if (!isWhole || [...wanted.keys()].some((key) => !entries.has(key)))
    return [{ field, meant: [...wanted.keys()], shown: [...entries.keys()] }];
  // A category without a flag is not the primary one.
  const flagOf = (value: Json | undefined) => (value === null && standard === 'exact' ? false : value);
  return [...wanted].flatMap(([key, entry]) =>
    Object.keys(entry).flatMap((name) => {
      const part = { meant: flagOf(entry[name]), shown: flagOf(entries.get(key)?.[name]) };
      return differencesIn(`${field}.${key}.${name}`, part, standard);
    }),
  );
}

/** Records by their originIds; undefined if one does not show its own. */
function keyed(list: readonly Json[]): ReadonlyMap<string, JsonObject> | undefined {
  const entries = new Map<string, JsonObject>();
  for (const entry of list) {
    const key = isJsonObject(entry) ? readScalar(text, entry['originId']) : undefined;
    if (key === undefined || !isJsonObject(entry)) return undefined;
    entries.set(key, entry);
  }
  return entries;
}

/** True if two lists of options are equal, in any order. */
function isSameSet(meant: readonly Json[], shown: readonly Json[]): boolean {
  const comparable = (list: readonly Json[]) =>
    list.map((entry) => JSON.stringify(isJsonObject(entry) ? optionOf(entry) : entry)).toSorted();
  return JSON.stringify(comparable(meant)) === JSON.stringify(comparable(shown));
}

function optionOf({ name, value }: JsonObject): readonly Json[] {
  return [name, value].map((part) => comparableText(readScalar(text, part) ?? ''));
}

/** True if the service shows another value, not just another notation. */
function isOther(field: string, meant: Json, shown: Json, standard: Standard): boolean {
  if (isEmpty(shown)) return true;
  const [wanted, has] = [meant ?? '', shown].map((value) =>
    typeof meant === 'boolean' ? readScalar(boolean, value) : comparableOf(field, value, standard),
  );
  const isMasked = personal.test(field) && typeof shown === 'string' && mask.test(shown);
  if (wanted !== undefined && has !== undefined && !isMasked) return wanted !== has;
  return standard === 'exact' && JSON.stringify(meant) !== JSON.stringify(shown);
}

/** The comparable form of a value; undefined if it is inconclusive. */
export function comparableOf(field: string, value: Json, standard: Standard): string | undefined {
  const written = readScalar(text, value);
  const notation = notations[field.slice(field.lastIndexOf('.') + 1)] ?? comparableText;
  return written === undefined ? undefined : notation(written, standard);
}

/** Fields that a service may mask. */
const personal = /^(?:.*\.)?(?:buyer|recipient)\.|^memberOriginId$/;
const mask = /[*＊○●]/;

const readCarrier = carrierReader();

/** Comparable forms of fields that have several notations. */
const notations: Readonly<Record<string, (written: string, standard: Standard) => string | undefined>> = {
  orderedAt: comparableTime,
  deliveredAt: comparableTime,
  paidPrice: (written) => readScalar(decimal, written),
  phone: (written) => written.replace(/\D/g, '').replace(/^82(?=1)/, '0'),
  email: (written) => comparableText(written).toLowerCase(),
  imageUrl: (written) => textOr(readImageUrl(written), written),
  companyCode: (written) => textOr(readCarrier(written), written),
  trackingNumber: (written) => textOr(readTrackingNumber(written), written),
};

/** Normalized as in an input file: a service may trim a name. */
function comparableText(written: string): string {
  return textOr(readText(written), written);
}

function textOr(value: unknown, written: string): string {
  return typeof value === 'string' ? value : written;
}

/** The instant, to the second. A time without a zone is ambiguous and proves nothing. */
function comparableTime(written: string, standard: Standard): string | undefined {
  if (standard === 'proof' && !/^[^T]*T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(written)) return undefined;
  const ms = Date.parse(written);
  return Number.isNaN(ms) ? undefined : String(Math.floor(ms / 1000));
}
