import { kebabCase } from '../../../base/name-case.ts';
import { shellWord } from '../../../base/shell-word.ts';

/** Flags that may be repeated. */
const repeatable: readonly string[] = ['--map', '-c'];

/** The typed command line with `flag`, which replaces another value of a flag that is not repeatable. */
export function withFlag(argv: readonly string[], flag: string): string {
  const [name = ''] = flag.split(' ', 1);
  const kept = repeatable.includes(name) ? argv : without(argv, name);
  return ['reviewctl', ...kept.map(shellWord), flag].join(' ');
}

/** The typed command line without the flag `name`, which has a value. */
export function withoutFlag(argv: readonly string[], name: string): string {
  return ['reviewctl', ...without(argv, name).map(shellWord)].join(' ');
}

/** Assumptions, each as `getJob=…`, in the form in which they are typed. */
export function assumeFlags(settings: readonly string[]): string {
  return settings.map((setting) => `-c ${shellWord(settingWord(setting))}`).join(' ');
}

/** `getJob=…` in its typed form: `get-job=…`. */
export function settingWord(setting: string): string {
  const end = setting.indexOf('=');
  return kebabCase(setting.slice(0, end)) + setting.slice(end);
}

function without(argv: readonly string[], name: string): readonly string[] {
  const isOfFlag = (word: string, at: number) =>
    word === name || argv[at - 1] === name || word.startsWith(`${name}=`);
  return argv.filter((word, at) => !isOfFlag(word, at));
}
