import { shellWord } from './shell-word.ts';

/** A command of reviewctl in a hint: the words after the program's name, as typed in a shell. */
export interface NamedCommand {
  readonly words: readonly string[];
  /** The words that contain a value (an id, a path); all others are text of this program. */
  readonly values?: readonly string[];
}

/** A hint that is text only, or one that names commands. */
export type HintText = string | Hint;

/**
 * The next step, in reading order. Commands in it are data, so that required flags can be added when it is shown. It
 * converts to its text, also in JSON.
 */
export class Hint {
  readonly parts: readonly (string | NamedCommand)[];

  constructor(parts: readonly (string | NamedCommand)[]) {
    this.parts = parts;
  }

  /** The text, with every command converted by `complete` and its words separated by `space`. */
  text(complete: (command: NamedCommand) => NamedCommand, space = ' '): string {
    return this.parts
      .map((part) =>
        typeof part === 'string'
          ? part
          : ['reviewctl', ...complete(part).words].join(' ').replaceAll(' ', space),
      )
      .join('');
  }

  /** The commands in it, in order. */
  get commands(): readonly NamedCommand[] {
    return this.parts.filter((part) => typeof part !== 'string');
  }

  toString(): string {
    return this.text((command) => command);
  }

  toJSON(): string {
    return this.toString();
  }
}

/**
 * A text with commands and other hints: `` hint`to see it: ${reviewctl`runs show ${id}`}` ``. A line break in the
 * source, with its indentation, is read as a space.
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
 * A command as a hint: `` reviewctl`runs show ${id}` ``. Literal words stay as they are. A value is one word, quoted if
 * a shell needs it; an array is one word per item.
 */
export function reviewctl(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): Hint {
  const words: CommandWord[] = [];
  const append = ([first = '', ...more]: readonly string[], isValue: boolean) => {
    const begun = words.pop() ?? { text: '', isValue: false };
    words.push({ text: begun.text + first, isValue: begun.isValue || (isValue && first !== '') });
    words.push(...more.map((text) => ({ text, isValue })));
  };
  for (const [index, literal] of texts.entries()) {
    append(literal.split(' '), false);
    append(
      [values[index] ?? []].flat().map((value) => shellWord(String(value))),
      true,
    );
  }
  const full = words.filter(({ text }) => text !== '');
  const given = full.filter(({ isValue }) => isValue).map(({ text }) => text);
  return new Hint([
    { words: full.map(({ text }) => text), ...(given.length === 0 ? {} : { values: given }) },
  ]);
}

interface CommandWord {
  readonly text: string;
  readonly isValue: boolean;
}

function oneLine(text: string): string {
  return text.replaceAll(/\n +/g, ' ');
}

/** Copies `value`, plain data, and replaces each hint in it with the text that `complete` returns. */
export function withHintTexts(value: unknown, complete: (hint: Hint) => string): unknown {
  if (value instanceof Hint) return complete(value);
  if (Array.isArray(value)) return value.map((each) => withHintTexts(each, complete));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withHintTexts(part, complete)]),
  );
}

/** Joins several hints into one. */
export function joinHints(hints: readonly HintText[], separator: string): Hint {
  return new Hint(
    hints.flatMap((each, index) => [
      index === 0 ? '' : separator,
      ...(each instanceof Hint ? each.parts : [each]),
    ]),
  );
}
