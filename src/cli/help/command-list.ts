import { exitCodes, Failure } from '../../base/failure.ts';
import { reviewctl } from '../../base/hint.ts';
import type { JsonObject } from '../../base/json.ts';
import { version } from '../../base/version.ts';
import { commands } from '../commands/commands.ts';
import type { ArgumentText } from '../runtime/command.ts';
import { findSettings } from './all-setting-flags.ts';
import { findCommandSurface, findSurface } from './find-surface.ts';
import { sectionOf } from './help-text.ts';
import type { CommandSurface, FlagSurface, HelpRow } from './surface.ts';

/**
 * The interface of the program for other programs, as the schema `command-list` describes it: of the commands that
 * begin with these words, and the settings that they read.
 * @throws Failure('usage') if no command begins with them.
 */
export async function commandList(words: readonly string[]): Promise<JsonObject> {
  const { variables } = await findSurface('');
  const begin = words.join(' ');
  const named = Object.keys(commands).filter((path) =>
    `${path} `.startsWith(begin === '' ? '' : `${begin} `),
  );
  if (named.length === 0) {
    throw new Failure('usage', `no command begins with '${begin}'`, reviewctl`schema commands`);
  }
  const surfaces = await Promise.all(named.map(findCommandSurface));
  const read = new Set(surfaces.flatMap(({ settings }) => settings));
  return {
    version,
    commands: surfaces.map(commandRecord),
    settings: (await findSettings()).filter(({ name }) => read.has(name)).map(flagRecord),
    variables: variables.map(variableRecord),
    exitCodes: Object.entries(exitCodes).map(([code, meaning]) => ({ code: Number(code), meaning })),
  };
}

function commandRecord(surface: CommandSurface): JsonObject {
  const { words, summary, writes, examples, variables } = surface;
  return {
    words,
    summary,
    writes,
    prints: commands[words]?.prints,
    arguments: surface.arguments.map(argumentRecord),
    flags: surface.flags.map(flagRecord),
    settings: surface.settings,
    examples,
    variables: variables.map(variableRecord),
    exitCodes: surface.exitCodes,
  };
}

/** `<file...>` is required and may be repeated, `[name]` is neither. */
function argumentRecord({ term, choices, help }: ArgumentText): JsonObject {
  return {
    name: term.replaceAll(/[<>[\].]/g, ''),
    isRequired: term.startsWith('<'),
    isRepeatable: term.includes('...'),
    choices,
    help,
  };
}

function flagRecord(flag: FlagSurface): JsonObject {
  const { group: _group, help, ...facts } = flag;
  return { ...facts, section: sectionOf(flag), help };
}

function variableRecord([name, meaning]: HelpRow): JsonObject {
  return { name, meaning };
}
