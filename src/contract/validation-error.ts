import { isJsonObject, parseJson } from '../base/json.ts';

/** One entry of `detail` (API 7); `loc` may contain integers (assumption `locIndex`). */
export interface ValidationIssue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** The content of an error body of any shape. */
interface ErrorDetail {
  readonly issues: readonly ValidationIssue[];
  /** Text of a body that is not a list of issues; otherwise empty. */
  readonly message: string;
}

/** Maximum length of the quote from an undocumented error body, in characters. */
const quotedLength = 300;
/** Characters of an undocumented error body to search for the quote. A hostile body must not take seconds. */
const consideredLength = 10_000;

/**
 * Reads an error body of any kind: `detail` as an array of issues, one issue, a string, or other JSON; JSON without
 * `detail`; plain text; HTML of a proxy; nothing. Never throws.
 */
export function readErrorDetail(body: string): ErrorDetail {
  const parsed = parseJson(body);
  if (parsed === undefined) return { issues: [], message: plainText(body) };
  const detail = isJsonObject(parsed) && 'detail' in parsed ? parsed['detail'] : parsed;
  const candidates = Array.isArray(detail) ? detail : [detail];
  const issues = candidates.map(readIssue).filter((issue) => issue !== undefined);
  if (issues.length > 0) return { issues, message: '' };
  return { issues: [], message: messageIn(detail) };
}

/**
 * `loc` as text. Entries are counted from 0 on the wire, and from 1 in messages: `["body", 37, "originId"]` becomes
 * `body entry 38 originId`.
 */
export function locInWords(loc: ValidationIssue['loc']): string {
  const [place, ...rest] = loc;
  if (place === undefined) return 'the request';
  const inWords = rest.map((step) => (isIndex(step) ? `entry ${Number(step) + 1}` : String(step)));
  return [String(place), ...inWords].join(' ');
}

/** The index of the bulk entry in a `loc`, from 0; undefined if it has none. */
export function bulkEntryOf(loc: ValidationIssue['loc']): number | undefined {
  const [place, index] = loc;
  return place === 'body' && isIndex(index) ? Number(index) : undefined;
}

function isIndex(step: string | number | undefined): boolean {
  return typeof step === 'number'
    ? Number.isSafeInteger(step) && step >= 0
    : step !== undefined && /^\d+$/.test(step);
}

function readIssue(value: unknown): ValidationIssue | undefined {
  if (!isJsonObject(value)) return undefined;
  const { loc, msg, type } = value;
  if (loc === undefined && msg === undefined) return undefined;
  const steps = (Array.isArray(loc) ? loc : [loc]).filter(
    (step) => typeof step === 'string' || typeof step === 'number',
  );
  return {
    loc: steps,
    msg: typeof msg === 'string' ? msg : messageIn(msg),
    type: typeof type === 'string' ? type : '',
  };
}

function messageIn(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return plainText(value);
  if (isJsonObject(value)) {
    const text = value['message'] ?? value['msg'] ?? value['error'];
    if (typeof text === 'string') return plainText(text);
  }
  return plainText(jsonText(value));
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON may be nested too deeply to be written although it could be parsed.
    return 'a deeply nested error body';
  }
}

function plainText(body: string): string {
  const considered = body.slice(0, consideredLength);
  const withoutMarkup = /^\s*</.test(considered)
    ? considered.replace(/<(style|script)\b[\s\S]*?(?:<\/\1>|$)/gi, ' ').replace(/<[^<>]*>/g, ' ')
    : considered;
  const words = withoutMarkup.replace(/\s+/g, ' ').trim();
  return words.length > quotedLength ? `${words.slice(0, quotedLength)}…` : words;
}
