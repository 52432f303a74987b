import { shellWord } from '../../base/shell-word.ts';
import { kebabCase } from '../../config/setting-sources.ts';
import { commands } from '../commands/commands.ts';

/** Flags that say whose data a command is about; what a message tells to type next has to be about the same. */
const carried = ['profile', 'ledger'] as const;

/** Commands that take none of them. */
const apart = /^(?:sandbox serve|demo|schema|completion|help|profile (?:list|use|show)|config path)$/;
/** Commands that open the ledger. */
const ofLedger = /^(?:ledger|payer|rewards (?:settle|listen|trigger|export|import))\b/;

const named = /\breviewctl ([a-z][a-z-]*(?: [a-z][a-z-]*)?)(?![\w-])(?=([^;`\n]*))/g;

/** `text` with the flags that were typed added to every command it names, where the command takes them and does not name them itself. */
export function addHintFlags(text: string, typed: Readonly<Record<string, unknown>>): string {
  const given = carried.flatMap((name) => {
    const value = typed[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  if (given.length === 0) return text;
  return text.replaceAll(named, (whole, words: string, rest: string) => {
    const command = [words, words.split(' ')[0] ?? ''].find((name) => Object.hasOwn(commands, name));
    if (command === undefined || apart.test(command)) return whole;
    const added = given
      .filter(([name]) => name !== 'ledger' || ofLedger.test(command))
      .filter(([name]) => !rest.includes(`--${kebabCase(name)}`))
      .map(([name, value]) => ` --${kebabCase(name)} ${shellWord(value)}`);
    return whole.replace(`reviewctl ${command}`, `reviewctl ${command}${added.join('')}`);
  });
}
