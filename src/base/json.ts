/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks that a value is an object whose fields pass these checks. Other fields are ignored. */
export function hasFields(
  value: unknown,
  checks: Readonly<Record<string, (field: unknown) => boolean>>,
): value is JsonObject {
  return isJsonObject(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** Maximum nesting of JSON from outside. It is written out again, and writing recurses. */
export const levelsMaximum = 1000;

/** True if objects and arrays in a value are nested more than `levels` deep. */
export function isDeeperThan(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((element: Json) => isDeeperThan(element, levels - 1));
  const object = value as JsonObject;
  for (const name in object) {
    if (typeof object[name] === 'object' && isDeeperThan(object[name], levels - 1)) return true;
  }
  return false;
}

const numberParts = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** True if a JSON number changes its value when read. False for text that is not a number. */
export function isRounded(text: string): boolean {
  const value = decimalOf(text);
  return value !== undefined && value !== decimalOf(String(Number(text)));
}

/** True if two JSON numbers have the same exact value. False for text that is not a number. */
export function areSameNumbers(one: string, other: string): boolean {
  const value = decimalOf(one);
  return value !== undefined && value === decimalOf(other);
}

/**
 * Matches a name with its colon, a bracket, or a number; skips a string that is not a name. Also matches a string
 * without an end, since searching its end from each quote in it would take quadratic time.
 */
const nameOrNumber = /("[^"\\]*(?:\\[\s\S][^"\\]*)*"?)(\s*:)?|[{}[\]]|-?\d[\d.eE+-]*/g;

/**
 * The members of a JSON object that are numbers, digit by digit: `JSON.parse` rounds long ones. `text` must be an
 * object that `JSON.parse` accepts. Of members with the same name the last one counts, as it does there.
 */
export function numbersAsWritten(text: string): ReadonlyMap<string, string> {
  const numbers = new Map<string, string>();
  let depth = 0;
  let name = '';
  for (const [token, string, colon] of text.matchAll(nameOrNumber)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth !== 1) continue;
    else if (string === undefined) numbers.set(name, token);
    else if (colon !== undefined) name = JSON.parse(string) as string;
  }
  return numbers;
}

/** A JSON text with every number that `JSON.parse` would round as a string of its digits. */
export function withExactNumbers(text: string): string {
  return text.replaceAll(nameOrNumber, (token) => (isRounded(token) ? `"${token}"` : token));
}

/** Normalizes a number: its digits without surrounding zeros, and the power of ten of the last digit. */
function decimalOf(text: string): string | undefined {
  const [whole, sign, integer = '', fraction = '', exponent = '0'] = numberParts.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = (integer + fraction).replace(/^0+/, '');
  let length = digits.length;
  while (digits[length - 1] === '0') length -= 1;
  if (length === 0) return '0';
  const power = Number(exponent) - fraction.length + digits.length - length;
  return `${sign}${digits.slice(0, length)}e${power}`;
}

const hasNoEscapes = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** True if a text needs no escapes between JSON quotes. */
export function needsNoEscapes(text: string): boolean {
  return hasNoEscapes.test(text);
}

/** The value of a JSON text; undefined for text that is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
