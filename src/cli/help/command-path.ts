import { commands, nouns } from '../commands/commands.ts';

/** The words of the command that `argv` calls; undefined where it calls none. */
export function commandPath([noun = '', verb = '']: readonly string[]): string | undefined {
  return [`${noun} ${verb}`, noun].find((name) => Object.hasOwn(commands, name));
}

/** What a help that `argv` asks for is about: a command, else a noun, else '', the whole program. */
export function helpSubject(argv: readonly string[]): string {
  const [noun = ''] = argv;
  return commandPath(argv) ?? (Object.hasOwn(nouns, noun) ? noun : '');
}

/** `help orders push` and `orders help push` as `orders push --help`. */
export function asHelpFlag(argv: readonly string[]): readonly string[] {
  const at = argv.slice(0, 2).indexOf('help');
  const isOfGroup = at === 0 || (at === 1 && Object.hasOwn(nouns, argv[0] ?? ''));
  return isOfGroup ? [...argv.toSpliced(at, 1), '--help'] : argv;
}
