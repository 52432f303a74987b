/** Fields of the input that stay out of a push, and what would send them. */
export interface UnsentWarning {
  readonly fields: readonly string[];
  readonly hint: string;
}

/** Which fields stay out, and why. */
export function unsentInWords({ fields }: UnsentWarning): string {
  return `not sent, because the operation does not document them: ${fields.join(', ')}`;
}
