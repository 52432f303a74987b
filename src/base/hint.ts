import { shellWord } from './shell-word.ts';

/** A command of reviewctl that a hint names: the words after the program's name, as they are typed in a shell. */
export interface NamedCommand {
  readonly words: readonly string[];
}

/** A hint that is text only, or one that names commands. */
export type HintText = string | Hint;

/**
 * The next step, in the order in which it is read. Commands in it are data, so that the flags they need can be added
 * where it is shown. As a string and as JSON it is its text.
 */
export class Hint {
  readonly parts: readonly (string | NamedCommand)[];

  constructor(parts: readonly (string | NamedCommand)[]) {
    this.parts = parts;
  }

  /** The text with every command as `complete` returns it. */
  text(complete: (command: NamedCommand) => NamedCommand): string {
    return this.parts
      .map((part) => (typeof part === 'string' ? part : ['reviewctl', ...complete(part).words].join(' ')))
      .join('');
  }

  toString(): string {
    return this.text((command) => command);
  }

  toJSON(): string {
    return this.toString();
  }
}

/**
 * Text in which commands and other hints occur: `` hint`to see it: ${reviewctl`runs show ${id}`}` ``. A line break
 * in the source, with the indentation after it, is read as a space.
 */
export function hint(texts: TemplateStringsArray, ...values: readonly (HintText | number)[]): Hint {
  return new Hint(
    texts.flatMap((text, index) => {
      const value = values[index] ?? '';
      return [oneLine(text), ...(value instanceof Hint ? value.parts : [String(value)])];
    }),
  );
}

/**
 * A command as a hint: `` reviewctl`runs show ${id}` ``. Literal words are typed as they are; a value is one word, in
 * quotes where a shell needs them, and an array is a word for each of its items.
 */
export function reviewctl(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): Hint {
  const words: string[] = [''];
  const append = ([first = '', ...more]: readonly string[]) => {
    words.push(`${words.pop() ?? ''}${first}`, ...more);
  };
  for (const [index, literal] of texts.entries()) {
    append(literal.split(' '));
    append([values[index] ?? []].flat().map((value) => shellWord(String(value))));
  }
  return new Hint([{ words: words.filter((word) => word !== '') }]);
}

function oneLine(text: string): string {
  return text.replaceAll(/\n +/g, ' ');
}

/** Several hints as one. */
export function joinHints(hints: readonly HintText[], separator: string): Hint {
  return new Hint(
    hints.flatMap((each, index) => [
      index === 0 ? '' : separator,
      ...(each instanceof Hint ? each.parts : [each]),
    ]),
  );
}
