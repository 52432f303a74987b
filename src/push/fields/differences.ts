import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { boolean, decimal, readScalar, text } from '../../contract/reply-codecs.ts';
import { carrierReader, readTrackingNumber } from '../../input/cells/shipment.ts';
import { readImageUrl, readText } from '../../input/cells/text.ts';

/** A field that is shown otherwise than it is meant to be. */
export interface Difference {
  /** The name the field has in a body; `shipment.trackingNumber` of one inside another. */
  readonly field: string;
  readonly meant: Json;
  readonly shown: Json;
}

/** The values of a field; `had` is what the service showed before, where that is known. */
interface Values {
  readonly meant: Json | undefined;
  readonly had?: Json | undefined;
  readonly shown: Json | undefined;
}

/**
 * What counts as a difference. Under `exact`, everything that is not known to be the same. Under `proof`, only what
 * proves one: a value that is left out or cannot be read proves nothing, nor does null where the service is not known
 * to have shown a value.
 */
type Standard = 'exact' | 'proof';

/** Whether two values of a field are the same, in whatever notation. */
export function isSame(field: string, meant: Json, shown: Json): boolean {
  return differencesIn(field, { meant, shown }, 'exact').length === 0;
}

/** Where the values of a field differ. Notations of one value are the same. */
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

/** Parts that an object had, that were left out to take them out of it, and that are shown as they were. */
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

/** A field of an object; of null, null. */
export function partOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : value === null ? null : undefined;
}

function isEmpty(value: Json): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/**
 * Lists whose entries are known by an originId; an order may have items besides these, which an update may
 * leave alone.
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
  // A category that is not shown as the primary one is not.
  const flagOf = (value: Json | undefined) => (value === null && standard === 'exact' ? false : value);
  return [...wanted].flatMap(([key, entry]) =>
    Object.keys(entry).flatMap((name) => {
      const part = { meant: flagOf(entry[name]), shown: flagOf(entries.get(key)?.[name]) };
      return differencesIn(`${field}.${key}.${name}`, part, standard);
    }),
  );
}

/** Records by their originIds; undefined where one does not show its own. */
function keyed(list: readonly Json[]): ReadonlyMap<string, JsonObject> | undefined {
  const entries = new Map<string, JsonObject>();
  for (const entry of list) {
    const key = isJsonObject(entry) ? readScalar(text, entry['originId']) : undefined;
    if (key === undefined || !isJsonObject(entry)) return undefined;
    entries.set(key, entry);
  }
  return entries;
}

/** Whether two lists of options are the same, in whatever order. */
function isSameSet(meant: readonly Json[], shown: readonly Json[]): boolean {
  const comparable = (list: readonly Json[]) =>
    list.map((entry) => JSON.stringify(isJsonObject(entry) ? optionOf(entry) : entry)).toSorted();
  return JSON.stringify(comparable(meant)) === JSON.stringify(comparable(shown));
}

function optionOf({ name, value }: JsonObject): readonly Json[] {
  return [name, value].map((part) => comparableText(readScalar(text, part) ?? ''));
}

/** Whether the service shows another value, and not the same one in another notation. */
function isOther(field: string, meant: Json, shown: Json, standard: Standard): boolean {
  if (isEmpty(shown)) return true;
  const [wanted, has] = [meant ?? '', shown].map((value) =>
    typeof meant === 'boolean' ? readScalar(boolean, value) : comparableOf(field, value, standard),
  );
  const isMasked = personal.test(field) && typeof shown === 'string' && mask.test(shown);
  if (wanted !== undefined && has !== undefined && !isMasked) return wanted !== has;
  return standard === 'exact' && JSON.stringify(meant) !== JSON.stringify(shown);
}

/** What is compared of a value; undefined where it says nothing for certain. */
export function comparableOf(field: string, value: Json, standard: Standard): string | undefined {
  const written = readScalar(text, value);
  const notation = notations[field.slice(field.lastIndexOf('.') + 1)] ?? comparableText;
  return written === undefined ? undefined : notation(written, standard);
}

/** What a service may show in part only. */
const personal = /^(?:.*\.)?(?:buyer|recipient)\.|^memberOriginId$/;
const mask = /[*＊○●]/;

const readCarrier = carrierReader();

/** The same, of texts that have several notations. */
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

/** As a file gives it: a service may trim a name. */
function comparableText(written: string): string {
  return textOr(readText(written), written);
}

function textOr(value: unknown, written: string): string {
  return typeof value === 'string' ? value : written;
}

/** The instant, to the second. A time without its zone may be any, and so proves nothing. */
function comparableTime(written: string, standard: Standard): string | undefined {
  if (standard === 'proof' && !/^[^T]*T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(written)) return undefined;
  const ms = Date.parse(written);
  return Number.isNaN(ms) ? undefined : String(Math.floor(ms / 1000));
}
