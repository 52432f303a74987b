import type { NamedCommand } from '../../base/hint.ts';
import { shellWord } from '../../base/shell-word.ts';
import { kebabCase } from '../../config/setting-sources.ts';
import { commandPath } from './command-path.ts';

/** Flags that select the data of a command: a command in a hint has to be about the same data. */
const carried = ['profile', 'ledger', 'state', 'statePasswordFile', 'shop'] as const;

/** Commands that take no profile. */
const withoutProfile: ReadonlySet<string> = new Set([
  'sandbox serve',
  'demo',
  'schema',
  'completion',
  'profile list',
  'profile use',
  'profile show',
  'config path',
]);
const ledgerNouns: ReadonlySet<string> = new Set(['ledger', 'payer']);
const ledgerVerbs: ReadonlySet<string> = new Set(['settle', 'listen', 'trigger', 'export', 'import']);

/** `named` with the typed flags that select data, where it takes them and does not have them itself. */
export function addHintFlags(named: NamedCommand, typed: Readonly<Record<string, unknown>>): NamedCommand {
  const path = commandPath(named.words);
  if (path === undefined || withoutProfile.has(path)) return named;
  const [noun = '', verb = ''] = path.split(' ');
  const opensLedger = ledgerNouns.has(noun) || (noun === 'rewards' && ledgerVerbs.has(verb));
  const added = carried.flatMap((name) => {
    const value = typed[name];
    const flag = `--${kebabCase(name)}`;
    if (typeof value !== 'string' || named.words.includes(flag)) return [];
    const isOfCommand = name === 'profile' || opensLedger;
    // In a database, the shop selects the ledger; of a file, it is only checked.
    const isSelected = name !== 'shop' || typed['state'] !== undefined;
    return isOfCommand && isSelected ? [flag, shellWord(value)] : [];
  });
  const length = path.split(' ').length;
  return { words: [...named.words.slice(0, length), ...added, ...named.words.slice(length)] };
}
