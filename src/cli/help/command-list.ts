import { exitCodes, Failure } from '../../base/failure.ts';
import { reviewctl } from '../../base/hint.ts';
import { version } from '../../base/version.ts';
import { commands } from '../commands/commands.ts';
import type { ArgumentText } from '../runtime/command.ts';
import { findSettings } from './all-setting-flags.ts';
import { findSurface } from './find-surface.ts';
import type { HelpRow, Surface } from './surface.ts';

/**
 * The interface of the program for other programs: the commands that begin with these words, and the settings that they
 * read.
 * @throws Failure('usage') if no command begins with them.
 */
export async function commandList(words: readonly string[]): Promise<object> {
  const { variables } = await findSurface('');
  const begin = words.join(' ');
  const named = Object.keys(commands).filter((path) =>
    `${path} `.startsWith(begin === '' ? '' : `${begin} `),
  );
  if (named.length === 0) {
    throw new Failure('usage', `no command begins with '${begin}'`, reviewctl`schema commands`);
  }
  const surfaces = await Promise.all(named.map(findSurface));
  const read = new Set(surfaces.flatMap(({ settings }) => settings));
  return {
    version,
    commands: surfaces.map(commandRecord),
    settings: (await findSettings()).filter(({ name }) => read.has(name)),
    variables: variables.map(variableRecord),
    exitCodes: Object.entries(exitCodes).map(([code, meaning]) => ({ code: Number(code), meaning })),
  };
}

function commandRecord(surface: Surface): object {
  const { words, summary, examples, flags, settings, variables, exitCodes } = surface;
  const entry = commands[words];
  return {
    words,
    summary,
    writes: entry?.writes,
    prints: entry?.prints,
    arguments: surface.arguments.map(argumentRecord),
    flags,
    settings,
    examples,
    variables: variables.map(variableRecord),
    exitCodes,
  };
}

/** `<file...>` is required and may be repeated, `[name]` is neither. */
function argumentRecord({ term, choices, help }: ArgumentText): object {
  return {
    name: term.replaceAll(/[<>[\].]/g, ''),
    isRequired: term.startsWith('<'),
    isRepeatable: term.includes('...'),
    choices,
    help,
  };
}

function variableRecord([name, meaning]: HelpRow): object {
  return { name, meaning };
}
