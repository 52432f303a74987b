import type * as z from 'zod';
import { Failure } from '../../../base/failure.ts';
import { sentenceList } from '../../../base/sentence-list.ts';
import { negativeAmount } from '../../../input/cells/numbers.ts';
import { isMasked, maskedMember } from '../../../input/cells/text.ts';
import type { Refusal } from '../../../input/records/cell.ts';
import type { GivenBody } from './given-body.ts';

type Issue = z.core.$ZodIssue;

/**
 * Checks a body before anything is sent, against the strict schema of the contract and the further checks of a push.
 * Reports all faults at once.
 * @throws Failure of the body's kind, naming each invalid value as the person wrote it.
 */
export function checkBody(operation: string, schema: z.ZodType, given: GivenBody): void {
  const { error } = schema.safeParse(given.value, { reportInput: true });
  const lines = error === undefined ? refusedIn(given.value, [], given) : issuesInWords(error.issues, given);
  if (lines.length === 0) return;
  const [only = ''] = lines;
  throw new Failure(
    given.kind,
    lines.length === 1 ? `${operation}: ${only}` : [`${operation}:`, ...lines].join('\n'),
    `nothing was sent; ${given.help ?? 'see --help for each field; --body takes all of them as JSON'}`,
    { operation },
  );
}

function issuesInWords(issues: readonly Issue[], given: GivenBody): string[] {
  const missing = issues.filter(isMissing).map(({ path }) => nameOf(path, given));
  const wrong = issues.filter((issue) => !isMissing(issue)).flatMap((issue) => wordsOf(issue, given));
  return [...(missing.length === 0 ? [] : [`${sentenceList(missing, 'and')} must be set`]), ...wrong];
}

/** Values that no push sends either. A body that fits its schema bounds the depth of this recursion. */
function refusedIn(value: unknown, path: readonly (string | number)[], given: GivenBody): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  return [...entries].flatMap(([name, inner]: [string | number, unknown]) => {
    const refusal = refusalOf(name, inner);
    if (refusal === undefined) return refusedIn(inner, [...path, name], given);
    return [`${given.nameOf([...path, name])}: ${refusal.reason}`];
  });
}

function refusalOf(name: string | number, value: unknown): Refusal | undefined {
  if (name === 'paidPrice' && typeof value === 'number' && value < 0) return negativeAmount;
  if (name === 'memberOriginId' && typeof value === 'string' && isMasked(value)) return maskedMember;
  return undefined;
}

function isMissing({ code, input, path }: Issue): boolean {
  return code === 'invalid_type' && input === undefined && path.length > 0;
}

function wordsOf(issue: Issue, given: GivenBody): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${nameOf([...issue.path, key], given)}: is not a field of this request`);
  }
  return [`${nameOf(issue.path, given)}: ${meaningOf(issue)}`];
}

function meaningOf(issue: Issue): string {
  if (issue.code === 'invalid_format' && issue.format === 'datetime') {
    return `'${String(issue.input)}' is not a time with seconds and a zone, such as 2019-08-24T14:15:22+09:00`;
  }
  if (issue.code === 'invalid_type' && issue.expected === 'int') return 'expected a whole number';
  if (issue.code === 'too_small' && issue.origin === 'string') return 'must not be empty';
  return issue.message.replace(/^Invalid (?:input|option): /, '');
}

function nameOf(path: readonly PropertyKey[], given: GivenBody): string {
  return given.nameOf(path.map((step) => (typeof step === 'number' ? step : String(step))));
}
