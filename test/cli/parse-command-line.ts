import { Command } from 'commander';
import { commands } from '../../src/cli/commands/commands.ts';
import { declareFlags, readFlags, spellOut } from '../../src/cli/flags/flags.ts';
import { commonFlags } from '../../src/cli/flags/shared-flags.ts';
import { findSettings } from '../../src/cli/help/all-setting-flags.ts';
import { commandPath } from '../../src/cli/help/command-path.ts';
import { readOverrides } from '../../src/cli/settings/overrides.ts';

/**
 * Parses the words after `reviewctl` as the program does, without running the command.
 * @throws the program's usage error for an unknown command, flag or value.
 */
export async function parseCommandLine(words: readonly string[]): Promise<void> {
  const path = commandPath(words);
  const definition = (await commands[path ?? '']?.load())?.command;
  if (path === undefined || definition === undefined) throw new Error(`no command: ${words.join(' ')}`);
  const flags = { ...definition.flags, ...commonFlags };
  const command = new Command(path).exitOverride().action(() => undefined);
  declareFlags(command, flags);
  for (const { term, help } of [definition.argument ?? []].flat()) command.argument(term, help);
  await command.parseAsync(spellOut(words.slice(path.split(' ').length), flags), { from: 'user' });
  const profile = { name: 'default', settings: {} };
  const typed = command.opts();
  const overrides = await readOverrides(typed['config'], findSettings);
  readFlags(flags, { flags: typed, overrides, env: {}, project: {}, profile });
}
