import { commands, nouns } from '../commands/commands.ts';
import { builtSurface } from './built-surface.ts';
import type { Surface } from './surface.ts';

/** Every surface of the program. Loads all commands. */
export async function allSurfaces(): Promise<readonly Surface[]> {
  return Promise.all(['', ...Object.keys(nouns), ...Object.keys(commands)].map(readSurface));
}

/** The surface of a command, of a noun, or of the whole program (''). The built program loads no command for it. */
export async function findSurface(words: string): Promise<Surface> {
  return builtSurface(words) ?? (await readSurface(words));
}

async function readSurface(words: string): Promise<Surface> {
  const { commandSurface, groupSurface, programSurface } = await import('./read-surface.ts');
  if (words === '') return programSurface();
  if (Object.hasOwn(commands, words)) return commandSurface(words);
  const verbs = Object.keys(commands).filter((name) => name.startsWith(`${words} `));
  return groupSurface(words, await Promise.all(verbs.map(commandSurface)));
}
