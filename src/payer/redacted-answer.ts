import { redactSecrets } from '../base/redact.ts';

/** An answer without the secrets in what it quotes; a receipt is told in full, since books go by it. */
export function redacted<A extends { readonly message?: string }>(answer: A, secrets: Iterable<string>): A {
  return answer.message === undefined
    ? answer
    : { ...answer, message: redactSecrets(answer.message, secrets) };
}
