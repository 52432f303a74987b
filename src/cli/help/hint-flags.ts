import type { NamedCommand } from '../../base/hint.ts';
import { kebabCase } from '../../base/name-case.ts';
import { shellWord } from '../../base/shell-word.ts';
import { findSetting, type SettingSources } from '../../config/setting-sources.ts';
import { commandPath } from './command-path.ts';

/** Flags that select the data of a command: a command in a hint has to be about the same data. */
const carried = ['profile', 'ledger', 'state', 'statePasswordFile', 'shop'] as const;

/*
 * Which commands take them. A hint is shown without loading the commands that it names, so these lists repeat what
 * their definitions say; a test holds each command to its own.
 */

/** Commands that open a ledger, beside those of the noun. */
const ledgerCommands: ReadonlySet<string> = new Set([
  'login',
  'rewards settle',
  'rewards listen',
  'rewards export',
  'rewards import',
  'report ledger',
  'status',
]);

const stateNouns: ReadonlySet<string> = new Set(['runs', 'state', 'doctor']);
/** Commands that read a state, beside those of these nouns and pushes. */
const stateCommands: ReadonlySet<string> = new Set([
  'jobs list',
  'jobs wait',
  'reviews list',
  'rewards list',
  'report run',
]);

/** `named` with the typed flags that select data, where it takes them and does not have them itself. */
export function addHintFlags(named: NamedCommand, sources: SettingSources): NamedCommand {
  const path = commandPath(named.words);
  // The words of `profile` name one themselves.
  if (path === undefined || path.startsWith('profile ')) return named;
  const [noun = '', verb = ''] = path.split(' ');
  const opensLedger = noun === 'ledger' || ledgerCommands.has(path);
  const usesState = opensLedger || stateNouns.has(noun) || verb === 'push' || stateCommands.has(path);
  const added = carried.flatMap((name) => {
    const found = findSetting(sources, name);
    const key = kebabCase(name);
    if (found?.origin !== 'flag' || typeof found.value !== 'string') return [];
    if (named.words.some((word) => word === `--${key}` || word.startsWith(`${key}=`))) return [];
    const isOfCommand = name === 'profile' || (name === 'ledger' ? opensLedger : usesState);
    // In a database, the shop selects what is used; of the file of a ledger, it is only checked.
    const isSelected = name !== 'shop' || findSetting(sources, 'state')?.origin === 'flag';
    return isOfCommand && isSelected ? typedWords(key, found.value) : [];
  });
  const length = path.split(' ').length;
  return { words: [...named.words.slice(0, length), ...added, ...named.words.slice(length)] };
}

function typedWords(key: string, value: string): readonly string[] {
  return key === 'profile' ? ['--profile', shellWord(value)] : ['-c', shellWord(`${key}=${value}`)];
}
