import type { DocumentedInput } from './api-document.ts';

/** Writes an input as `first: integer, default 30, maximum 100`. */
export function lineOfInput(input: DocumentedInput): string {
  const marks = [
    input.values.length > 0 ? `one of ${input.values.join(' ')}` : input.type,
    ...(input.isRequired ? ['required'] : []),
    ...(input.isNullable ? ['may be null'] : []),
    ...(input.default === undefined ? [] : [`default ${input.default}`]),
    ...(input.maximum === undefined ? [] : [`maximum ${input.maximum}`]),
  ];
  return `${input.name}: ${marks.join(', ')}`;
}

/** Writes words as `state OrderItemStatus: DELIVERED RETURN`. */
export function linesOfWords(kind: string, words: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(words).map(([name, values]) => `${kind} ${name}: ${values.join(' ')}`);
}
