import { redactSecrets } from '../base/redact.ts';

/** The answer with secrets redacted in its message. A receipt is kept in full, because accounts rely on it. */
export function redacted<A extends { readonly message?: string }>(answer: A, secrets: Iterable<string>): A {
  return answer.message === undefined
    ? answer
    : { ...answer, message: redactSecrets(answer.message, secrets) };
}
