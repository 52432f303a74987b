import type { NamedCommand } from '../../base/hint.ts';
import { shellWord } from '../../base/shell-word.ts';
import { kebabCase } from '../../config/setting-sources.ts';
import { commandPath } from './command-path.ts';

/** Flags that select the data of a command: a command in a hint has to be about the same data. */
const carried = ['profile', 'ledger', 'state', 'statePasswordFile', 'shop'] as const;

/*
 * Which commands take them. A hint is shown without loading the commands that it names, so these lists repeat what
 * their definitions say; a test holds each command to its own.
 */

/** Commands that take no profile. */
const withoutProfile: ReadonlySet<string> = new Set([
  'sandbox serve',
  'demo',
  'schema',
  'completion',
  'plan show',
  'profile list',
  'profile use',
  'profile delete',
  'config path',
]);

/** Commands that open a ledger, beside those of the noun. */
const ledgerCommands: ReadonlySet<string> = new Set([
  'login',
  'rewards settle',
  'rewards listen',
  'rewards trigger',
  'rewards export',
  'rewards import',
  'report ledger',
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
export function addHintFlags(named: NamedCommand, typed: Readonly<Record<string, unknown>>): NamedCommand {
  const path = commandPath(named.words);
  if (path === undefined || withoutProfile.has(path)) return named;
  const [noun = '', verb = ''] = path.split(' ');
  const opensLedger = noun === 'ledger' || ledgerCommands.has(path);
  const usesState = opensLedger || stateNouns.has(noun) || verb === 'push' || stateCommands.has(path);
  const added = carried.flatMap((name) => {
    const value = typed[name];
    const flag = `--${kebabCase(name)}`;
    if (typeof value !== 'string' || named.words.includes(flag)) return [];
    const isOfCommand = name === 'profile' || (name === 'ledger' ? opensLedger : usesState);
    // In a database, the shop selects what is used; of the file of a ledger, it is only checked.
    const isSelected = name !== 'shop' || typed['state'] !== undefined;
    return isOfCommand && isSelected ? [flag, shellWord(value)] : [];
  });
  const length = path.split(' ').length;
  return { words: [...named.words.slice(0, length), ...added, ...named.words.slice(length)] };
}
