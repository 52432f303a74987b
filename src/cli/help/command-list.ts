import { exitCodes } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import { version } from '../../base/version.ts';
import { commands } from '../commands/commands.ts';
import { findSettings } from './all-setting-flags.ts';
import { findCommandSurface, findSurface } from './find-surface.ts';
import { sectionOf } from './help-text.ts';
import type { ArgumentSurface, CommandSurface, FlagSurface, HelpRow } from './surface.ts';

/** The interface of the program for other programs, as the schema `command-list` describes it. */
export async function commandList(): Promise<JsonObject> {
  const { variables } = await findSurface('');
  const surfaces = await Promise.all(Object.keys(commands).map(findCommandSurface));
  return {
    version,
    commands: surfaces.map(commandRecord),
    settings: (await findSettings()).map(flagRecord),
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
    arguments: surface.arguments.map(argumentRecord),
    flags: surface.flags.map(flagRecord),
    settings: surface.settings,
    examples,
    variables: variables.map(variableRecord),
    exitCodes: surface.exitCodes,
  };
}

/** `<file...>` is required and may be repeated, `[name]` is neither. */
function argumentRecord({ term, choices, help }: ArgumentSurface): JsonObject {
  return {
    name: term.replaceAll(/[<>[\].]/g, ''),
    isRequired: term.startsWith('<'),
    isRepeatable: term.includes('...'),
    ...(choices === undefined ? {} : { choices }),
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
