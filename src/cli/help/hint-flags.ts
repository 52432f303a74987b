import type { NamedCommand } from '../../base/hint.ts';
import { kebabCase } from '../../base/name-case.ts';
import { shellWord } from '../../base/shell-word.ts';
import { findPayer, findSetting, type SettingSources } from '../../config/setting-sources.ts';
import { shownValue } from '../settings/shown-setting.ts';
import { commandPath } from './command-path.ts';

/** Settings of a payer that a command in a hint has to share. */
const payerSettings = [
  ...['payerCommand', 'payerUrl', 'payerEnv', 'payerHeaderFile', 'payerPaidStatus', 'payerTimeout'],
  ...['payerIdempotent', 'payerReplaysResponse', 'payerLookupDelay', 'payerLookupCommand'],
] as const;
/** Caps that a settlement has to share. */
const caps = ['maxPerReward', 'maxPerMember', 'maxAmountPerDay'] as const;
/** Flags that select the data of a command: a command in a hint has to use the same data. */
const carried = [
  'profile',
  'baseUrl',
  'tokenFile',
  ...['ledger', 'state', 'statePasswordFile', 'shop'],
  ...payerSettings,
  ...caps,
] as const;

/*
 * The commands that accept these flags. A hint is shown without loading its commands, so these lists repeat their
 * definitions; a test compares them.
 */

/** Nouns and commands that use no service, in addition to each `inspect`. */
const withoutService: ReadonlySet<string> = new Set([
  ...['completion', 'config', 'demo', 'logout', 'payer', 'plan', 'schema', 'template'],
  'sandbox serve',
]);
/** Further commands that never call the service. */
const offlineCommands: ReadonlySet<string> = new Set([
  ...['status', 'list', 'export', 'show', 'verify', 'freeze', 'unfreeze', 'backup'].map(
    (verb) => `ledger ${verb}`,
  ),
  ...['list', 'show', 'rejects', 'prune', 'resolve'].map((verb) => `runs ${verb}`),
  ...['jobs list', 'report run', 'report ledger', 'state move'],
]);

/** Commands that open a ledger, in addition to those of the noun `ledger`. */
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
/** Commands that read a state, in addition to those of these nouns and to pushes. */
const stateCommands: ReadonlySet<string> = new Set([
  'jobs list',
  'jobs wait',
  'orders get',
  'orders update',
  'orders add-item',
  'order-items get',
  'order-items update',
  'products update',
  'reviews list',
  'rewards list',
  'report run',
]);

/** Commands that need a payer. */
const payingCommands: ReadonlySet<string> = new Set(['rewards settle', 'rewards listen', 'payer check']);

/**
 * Adds the typed flags that select data and payer to `named`, if it accepts them and does not have them. A command that
 * needs a payer gets a placeholder if no setting names one.
 */
export function addHintFlags(named: NamedCommand, sources: SettingSources): NamedCommand {
  const path = commandPath(named.words);
  // The words of `profile` contain the name of a profile themselves.
  if (path === undefined || path.startsWith('profile ') || named.words.includes('--help')) return named;
  const called = path.split(' ');
  const [noun = '', verb = ''] = called;
  const opensLedger = noun === 'ledger' || ledgerCommands.has(path);
  const usesState = opensLedger || stateNouns.has(noun) || verb === 'push' || stateCommands.has(path);
  const pays = payingCommands.has(path);
  const knowsService = !withoutService.has(noun) && !withoutService.has(path) && verb !== 'inspect';
  const isOf = (name: string) => {
    if (name === 'profile') return true;
    // A typed address is not repeated: login stores it.
    if (name === 'baseUrl') return knowsService && sources.flags[name] === undefined;
    if (name === 'tokenFile') return knowsService && !offlineCommands.has(path);
    if (name === 'ledger') return opensLedger;
    if (caps.some((cap) => cap === name)) return pays && noun === 'rewards';
    return name.startsWith('payer') ? pays : usesState;
  };
  const added: readonly string[] = carried.flatMap((name) => {
    const found = findSetting(sources, name);
    const key = kebabCase(name);
    if (found?.origin !== 'flag') return [];
    const values = [found.value].flat().filter((value) => typeof value === 'string');
    // A ledger is in a file or in a database: naming one excludes the other.
    const excluding = places.includes(name) ? places : [key];
    if (excluding.some((one) => isNamed(named, one))) return [];
    // In a database, the shop selects the data; in a ledger file, it is only checked.
    const isSelected = name !== 'shop' || findSetting(sources, 'state')?.origin === 'flag';
    return isOf(name) && isSelected ? values.flatMap((value) => typedWords(key, value)) : [];
  });
  const payer = pays && !findPayer({ ...sources, noun }) ? ['--payer-command', '/path/to/program'] : [];
  return { words: [...called, ...added, ...payer, ...named.words.slice(called.length)] };
}

const places: readonly string[] = ['ledger', 'state'];

function isNamed({ words }: NamedCommand, key: string): boolean {
  return words.some((word) => word === `--${key}` || word.replace(/^'/, '').startsWith(`${key}=`));
}

function typedWords(key: string, value: string): readonly string[] {
  // Arguments of a payer's program and parts of an address may be secret.
  const shown = key.startsWith('payer') ? shownValue(key, value).replaceAll('[redacted]', '…') : value;
  return /^(?:profile|payer-(?:command|url))$/.test(key)
    ? [`--${key}`, shellWord(shown)]
    : ['-c', shellWord(`${key}=${shown}`)];
}
