import type { Command, CommanderError } from 'commander';
import { Failure } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { camelCase } from '../../base/name-case.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { sentenceList } from '../../base/sentence-list.ts';
import { shellWord } from '../../base/shell-word.ts';
import { commands } from '../commands/commands.ts';
import { isSetting } from '../flags/flags.ts';
import type { CommandDefinition } from '../runtime/command.ts';
import { shownValue } from '../settings/shown-setting.ts';
import { helpSubject, programWords, topics, verbsOf } from './command-path.ts';

/** Other tools' names for flags of `api`, too different from ours to be guessed. */
const flagsOfApi: Readonly<Record<string, string>> = { '--path': '--param', '--data': '--body' };

/** Other tools' names for our verbs, too different from ours to be guessed. */
const otherVerbs: Readonly<Record<string, string>> = {
  ...{ ls: 'list', show: 'get', view: 'get', describe: 'get' },
  ...{ add: 'create', new: 'create', edit: 'update', set: 'update', patch: 'update' },
  ...{ upload: 'push', import: 'push', sync: 'push', rm: 'delete', remove: 'delete' },
};

/** Lists that people look for and the API does not have, with the nearest alternative. */
const absentLists: Readonly<Record<string, { readonly of: string; readonly instead: HintText }>> = {
  'orders list': { of: 'orders', instead: hint`to show one: ${reviewctl`orders get ORDER-ID`}` },
  'order-items list': {
    of: 'order items',
    instead: hint`to show those of an order: ${reviewctl`orders get ORDER-ID`}`,
  },
  'categories list': {
    of: 'categories',
    instead: hint`to show those of each product: ${reviewctl`products list --fields originId,name,categories`}`,
  },
};

/** The failure for an invalid command line: the fault, and what to type instead. */
export function usageError(
  { message, unknownOption = '', nearest }: UsageFault,
  words: readonly string[],
  definition: CommandDefinition | undefined,
): Failure {
  const [example] = definition?.examples ?? [];
  const absent = absentLists[words.slice(0, 2).join(' ')];
  if (absent !== undefined) {
    const message = `the API has no list of ${absent.of}`;
    return new Failure(
      'usage',
      message,
      hint`${absent.instead}; to see what was pushed from here: ${reviewctl`runs list`}`,
    );
  }
  const subject = helpSubject(words);
  const help = reviewctl`${subject === '' ? [] : subject.split(' ')} --help`;
  const usage = (way: HintText) => new Failure('usage', message, hint`${way} see: ${help}`);
  const here = words[0] === 'api' ? flagsOfApi[unknownOption.split('=')[0] ?? ''] : undefined;
  if (here !== undefined) return usage(`did you mean ${here}? else`);
  const setting = typedSetting(unknownOption, words, definition);
  if (setting !== undefined) {
    return new Failure(
      'usage',
      `${unknownOption.split('=')[0]} is a setting, not a flag`,
      hint`for this call: -c ${shellWord(setting.join('='))}; for all: ${reviewctl`config set ${setting}`}`,
    );
  }
  if (/^-\d/.test(unknownOption)) {
    const whole = words.toSpliced(words.indexOf(unknownOption), 0, '--');
    return usage(hint`put a value that starts with - after --: ${reviewctl`${whole}`}; else`);
  }
  const [noun = '', verb = ''] = words;
  const ours = `${noun} ${otherVerbs[verb] ?? ''}`;
  if (definition === undefined && Object.hasOwn(commands, ours))
    return usage(hint`did you mean ${reviewctl`${ours.split(' ')}`}? else`);
  if (nearest !== undefined) return usage(`did you mean ${nearest}? else`);
  if (example !== undefined) return usage(`for example: ${example}; else`);
  const withVerb = Object.keys(commands).filter((name) => subject === '' && name.endsWith(` ${noun}`));
  return withVerb.length > 0
    ? usage(`did you mean ${sentenceList(withVerb, 'or')}? else`)
    : new Failure('usage', message, hint`see: ${help}`);
}

/** The setting that was typed as `--name value` or `--name=value`, with its value or a placeholder. */
function typedSetting(
  option: string,
  words: readonly string[],
  definition: CommandDefinition | undefined,
): readonly [name: string, value: string] | undefined {
  const [, name = '', joined] = /^--([^=]+)(?:=(.*))?$/s.exec(option) ?? [];
  const { assume, ...flags } = definition?.flags ?? {};
  const setting = { ...assume?.parts, ...flags }[camelCase(name)];
  if (setting === undefined || !isSetting(setting)) return undefined;
  const next = words[words.indexOf(option) + 1] ?? '-';
  const value = joined ?? (next.startsWith('-') ? undefined : next);
  // Like `group-name`, a setting may be named as a field of a record; a field's value is not one that it takes.
  const isField = Object.hasOwn(flags, 'body') && value !== undefined;
  if (isField && !setting.schema().safeParse(value).success) return undefined;
  if (setting.value === undefined) return [name, 'true'];
  // An address may be a secret, and this line goes to logs.
  return [name, value !== undefined && shownValue(name, value) === value ? value : setting.value];
}

/** @throws Failure('usage') if help is requested for a command that does not exist. */
export function checkHelpWords(words: readonly string[]): void {
  const subject = helpSubject(words);
  const word = words[subject === '' ? 0 : 1] ?? '-';
  if (Object.hasOwn(commands, subject) || word.startsWith('-')) return;
  const known = subject === '' ? [...programWords(), ...Object.entries(topics)] : verbsOf(subject);
  const nearest = nearestName(
    word,
    known.map(([name]) => name),
  );
  const fault = { message: `unknown command '${word}'`, nearest };
  throw usageError(fault, words, undefined);
}

/** The fault of a command line, as data. */
interface UsageFault {
  readonly message: string;
  /** The unknown option, as typed. */
  readonly unknownOption?: string;
  /** The name that was probably meant. */
  readonly nearest?: string | undefined;
}

/** The fault that commander reports, with the subcommand or option of `command` that was probably meant. */
export function faultOf({ code, message: text }: CommanderError, command: Command): UsageFault {
  const message = text.replace(/^error: /, '');
  const [, word = ''] = /'(.*)'/s.exec(message) ?? [];
  if (code === 'commander.unknownCommand') {
    const names = command.commands.map((one) => one.name());
    return { message, nearest: nearestName(word, names) };
  }
  if (code === 'commander.optionMissingArgument') return missingValue(word);
  if (code !== 'commander.unknownOption') return { message };
  const options = command.createHelp().visibleOptions(command);
  const long = options.flatMap((option) => option.long ?? []);
  const name = word.split('=')[0] ?? '';
  const nearest = word.startsWith('--') ? nearestName(name, long, withoutDashes) : undefined;
  return { message, unknownOption: word, nearest };
}

function missingValue(flag: string): UsageFault {
  return { message: `the value of ${flag} is missing` };
}

/** A word such as `--dry-run`, but not `--9`. */
const flagLike = /^(?:-h|--[a-z][a-z-]*(?:=.*)?)$/s;

/**
 * Returns the fault of a forgotten value, which the next flag would replace, as in `--rejects --dry-run`; undefined if
 * there is none.
 */
export function forgottenValue(words: readonly string[], { options }: Command): UsageFault | undefined {
  const optionOf = (word: string) => options.find(({ short, long }) => word === short || word === long);
  for (const [at, word] of words.entries()) {
    if (word === '--') return undefined;
    const [option, next] = [optionOf(word), words[at + 1]];
    if (!option?.required || next === undefined) continue;
    if (!flagLike.test(next) && optionOf(next) === undefined) continue;
    const { message } = missingValue(option.flags);
    return { message: `${message}; if ${next} is meant, write ${shellWord(`${option.long}=${next}`)}` };
  }
  return undefined;
}

function withoutDashes(flag: string): string {
  return flag.replace(/^--/, '').toLowerCase();
}
