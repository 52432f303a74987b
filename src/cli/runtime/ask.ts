import { Writable } from 'node:stream';
import { Failure } from '../../base/failure.ts';
import { writeError } from '../../output/terminal/streams.ts';
import { terminalText } from '../../output/terminal/terminal-text.ts';
import type { Context } from './context.ts';

/**
 * Whether the person at the terminal says yes to `question`; `--yes` says it for them.
 * @throws Failure('usage') where no terminal is there to ask.
 */
export async function isConfirmed(
  question: string,
  { yes, noInput }: { readonly yes: boolean; readonly noInput: boolean },
  { stdin, streams, stopping }: Pick<Context, 'stdin' | 'streams' | 'stopping'>,
): Promise<boolean> {
  if (yes) return true;
  if (noInput || !canAsk({ stdin, streams })) {
    throw new Failure('usage', `confirmation required: ${question}`, 'pass --yes, or run on a terminal');
  }
  return /^y(es)?$/i.test(await askLine(`${question} [y/N]`, { stdin, streams, stopping }));
}

/** What the person at the terminal types in one line, without blanks around it; empty for Ctrl-D. */
export async function askLine(
  question: string,
  { stdin, streams, stopping }: Pick<Context, 'stdin' | 'streams' | 'stopping'>,
): Promise<string> {
  const { createInterface } = await import('node:readline');
  writeError(streams, `${terminalText(question)} `);
  const lines = createInterface({ input: stdin, signal: stopping });
  const answer = await new Promise<string>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
  });
  lines.close();
  return answer.trim();
}

/** Whether a person sits at both ends: sees what is asked, and types what is read. */
export function canAsk({ stdin, streams }: Pick<Context, 'stdin' | 'streams'>): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true && streams.isErrorTerminal;
}

/**
 * A line typed at the terminal, which does not show it; empty for Ctrl-D. The terminal is restored in any case.
 * @throws Failure('interrupted') for Ctrl-C; the reason of `stopping`.
 */
export async function askHidden(
  question: string,
  { stdin, streams, stopping }: Pick<Context, 'stdin' | 'streams' | 'stopping'>,
): Promise<string> {
  const { createInterface } = await import('node:readline');
  stopping.throwIfAborted();
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silence, terminal: true, historySize: 0 });
  // Only now does the terminal no longer show what is typed.
  writeError(streams, `${terminalText(question)}: `);
  const end = () => lines.close();
  stopping.addEventListener('abort', end, { once: true });
  try {
    const typed = await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(''));
      // In this mode the terminal sends Ctrl-C as a key, and no signal comes.
      lines.once('SIGINT', () =>
        reject(new Failure('interrupted', 'interrupted at the question', 'run the same command again')),
      );
    });
    stopping.throwIfAborted();
    return typed;
  } finally {
    stopping.removeEventListener('abort', end);
    end();
    writeError(streams, '\n');
  }
}
