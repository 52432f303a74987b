import { Failure } from './failure.ts';

/** Characters special only to a shell. Outside quotes, they mean that the command needs one. */
const shellOnly = /[|&;<>()$`*?~#]/;

/**
 * Splits a command line into words, with quotes and escapes as in a shell, but without running one. `flag` names the
 * command in messages.
 * @throws Failure('config') for an open quote, for syntax that needs a shell, and for an empty command.
 */
export function commandWords(command: string, flag: string): readonly [program: string, ...args: string[]] {
  const words = splitWords(command);
  if (words === undefined) {
    throw new Failure('config', `${flag}: a quote is not closed`, `write it as ${exampleOf(flag)}`);
  }
  const unsupported = words.find(({ bare }) => shellOnly.test(bare));
  if (unsupported !== undefined) {
    throw new Failure(
      'config',
      `${flag}: '${unsupported.text}' needs a shell, but the command is run without one`,
      'put the command into a script and name that, or quote the word to use it literally',
    );
  }
  const [program, ...args] = words.map(({ text }) => text);
  if (program === undefined) {
    throw new Failure('config', `${flag} does not name a program`, `write it as ${exampleOf(flag)}`);
  }
  return [program, ...args];
}

function exampleOf(flag: string): string {
  return `${flag} "/path/to/program 'an argument'"`;
}

interface Word {
  readonly text: string;
  /** Its characters outside quotes. */
  readonly bare: string;
}

/** One piece at a time: white space, '…', "…", an escaped character, or a run of plain ones. */
const piece = /(\s+)|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y;

/** Undefined if a quote is not closed. */
function splitWords(command: string): readonly Word[] | undefined {
  const words: Word[] = [];
  let word: Word | undefined;
  for (let at = 0; at < command.length; at = piece.lastIndex) {
    piece.lastIndex = at;
    const match = piece.exec(command);
    if (match === null) return undefined;
    const [, blank, single, double, escaped, plain = ''] = match;
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const quoted = single ?? double?.replaceAll(/\\(["\\])/g, '$1') ?? escaped ?? '';
    word = { text: (word?.text ?? '') + quoted + plain, bare: (word?.bare ?? '') + plain };
  }
  return word === undefined ? words : [...words, word];
}
