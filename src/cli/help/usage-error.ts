import { Failure } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { sentenceList } from '../../base/sentence-list.ts';
import { commands, nouns } from '../commands/commands.ts';
import { helpSubject } from './command-path.ts';

/** What other tools call it to take a setting away; `unset` is near to `set`, which does the opposite. */
const takingAway: ReadonlySet<string> = new Set(['unset', 'remove', 'rm', 'delete']);

/** What other tools call the flags of `api`, too far from our names to be guessed. */
const flagsOfApi: Readonly<Record<string, string>> = { '--path': '--param', '--data': '--body' };

/** What is wrong with a command line, in the words of commander, and what to type instead. */
export function usageError(message: string, words: readonly string[], example: string | undefined): Failure {
  // Commander guesses at the end of its message; what was typed stands before, in quotes.
  const [said = '', guess] = message.replace(/^error: /, '').split(/\n\(Did you mean ([^\n]*)\?\)$/);
  const subject = helpSubject(words);
  const help = reviewctl`${subject === '' ? [] : subject.split(' ')} --help`;
  const usage = (way: HintText) => new Failure('usage', said, hint`${way} see: ${help}`);
  const [noun, verb = '', setting = 'SETTING'] = words;
  const [, flag = ''] = /^unknown option '(--[^'=]+)/.exec(said) ?? [];
  const here = noun === 'api' ? flagsOfApi[flag] : undefined;
  if (here !== undefined) return usage(`did you mean ${here}? else`);
  if (noun === 'config' && takingAway.has(verb)) {
    return usage(hint`to remove a setting: ${reviewctl`config set ${setting} --unset`}; else`);
  }
  if (guess !== undefined) return usage(`did you mean ${guess}? else`);
  if (example !== undefined) return usage(`for example: ${example}; else`);
  const withVerb = Object.keys(commands).filter((name) => name.endsWith(` ${words[0]}`));
  return withVerb.length > 0
    ? usage(`did you mean ${sentenceList(withVerb, 'or')}? else`)
    : new Failure('usage', said, hint`see: ${help}`);
}

/** @throws Failure('usage') for a help that is asked for of a command there is none of. */
export function checkHelpWords(words: readonly string[]): void {
  const subject = helpSubject(words);
  const word = words[subject === '' ? 0 : 1] ?? '-';
  if (Object.hasOwn(commands, subject) || word.startsWith('-')) return;
  const verbs = Object.keys(commands).map((name) => name.split(' '));
  const known =
    subject === ''
      ? [...Object.keys(nouns), ...verbs.flatMap(([name = '', verb]) => (verb === undefined ? name : []))]
      : verbs.flatMap(([noun, verb]) => (noun === subject ? (verb ?? []) : []));
  const meant = nearestName(word, known);
  const guess = meant === undefined ? '' : `\n(Did you mean ${meant}?)`;
  throw usageError(`unknown command '${word}'${guess}`, words, undefined);
}
