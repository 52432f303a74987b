import type * as z from 'zod';
import type { ValidationIssue } from '../../contract/validation-error.ts';

type Issue = z.core.$ZodIssue;

/**
 * Converts the issues of a schema to the document's shape (API 7). `loc` is `place` (`body` or `query`), followed by
 * the path to the invalid value. The schema must be called with `reportInput`.
 */
export function validationIssues(place: string, issues: readonly Issue[]): ValidationIssue[] {
  return issues.flatMap((issue) => {
    const loc = [place, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        loc: [...loc, key],
        msg: 'this is not a field of the request',
        type: 'extra_forbidden',
      }));
    }
    return [{ loc, ...wording(issue) }];
  });
}

function wording(issue: Issue): Pick<ValidationIssue, 'msg' | 'type'> {
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return { msg: 'this field is required', type: 'missing' };
  }
  return { msg: issue.message, type: issue.code };
}
