import { createInterface } from 'node:readline';
import { Failure } from '../base/failure.ts';
import { writeError } from '../output/streams.ts';
import { terminalText } from '../output/terminal-text.ts';
import type { Context } from './context.ts';
import { groupFlags, switchFlag } from './flags.ts';

/** Of every command that asks before it acts. */
export const askFlags = groupFlags('Questions', {
  yes: switchFlag({ help: 'answer yes to what would be asked' }),
  noInput: switchFlag({ help: 'ask nothing: refuse what would have to be asked' }),
});

/**
 * Whether the person at the terminal says yes to `question`; `--yes` says it for them.
 * @throws Failure('usage') where nobody can be asked.
 */
export async function isConfirmed(
  question: string,
  { yes, noInput }: { readonly yes: boolean; readonly noInput: boolean },
  { stdin, streams, stopping }: Pick<Context, 'stdin' | 'streams' | 'stopping'>,
): Promise<boolean> {
  if (yes) return true;
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true && streams.isErrorTerminal;
  if (noInput || !isTerminal) {
    throw new Failure('usage', `not asked, and not done: ${question}`, 'add --yes to have it done unasked');
  }
  writeError(streams, `${terminalText(question)} [y/N] `);
  const lines = createInterface({ input: stdin, signal: stopping });
  const answer = await new Promise<string>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
  });
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}
