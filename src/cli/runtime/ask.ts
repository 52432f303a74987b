import { Writable } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { Failure } from '../../base/failure.ts';
import { wrapText } from '../../output/terminal/display-width.ts';
import { writeError } from '../../output/terminal/streams.ts';
import { terminalText } from '../../output/terminal/terminal-text.ts';
import type { Context, Invocation } from './command.ts';

/**
 * True if the person at the terminal says yes to `question`, or with `--yes`. If `-` makes standard input the data of
 * the command, the answer is read from the terminal itself.
 * @throws Failure('usage') if there is no terminal to ask.
 */
export async function isConfirmed(
  question: string,
  { context, args, flags, sources }: Invocation,
): Promise<boolean> {
  // A command that never asks has no flags for the answers.
  const [yes, noInput] = ['yes', 'noInput'].map((name) => flags[name] === true);
  if (yes) return true;
  const typed = [...args, ...Object.values(sources.flags), ...Object.values(sources.overrides ?? {})];
  const isInputData = typed.includes('-');
  const terminal = isInputData && !noInput ? await openTerminal(context) : undefined;
  try {
    const { streams, stopping } = context;
    const person = { stdin: terminal ?? context.stdin, streams, stopping };
    if (noInput || !canAsk(person)) {
      throw new Failure('usage', `confirmation required: ${question}`, 'pass --yes, or run on a terminal');
    }
    return /^y(es)?$/i.test(await askLine(`${question} [y/N]`, person));
  } finally {
    terminal?.destroy();
  }
}

/** Like `isConfirmed`, but reports that nothing was changed if the answer is no. */
export async function isChangeConfirmed(question: string, invocation: Invocation): Promise<boolean> {
  if (await isConfirmed(question, invocation)) return true;
  invocation.notices.summary('nothing was changed');
  return false;
}

/** The keyboard of a person who sees stderr, while standard input brings data; undefined if there is none. */
async function openTerminal({ streams }: Context): Promise<ReadStream | undefined> {
  if (!streams.isErrorTerminal) return undefined;
  const [{ openSync }, { ReadStream: TerminalStream }] = await Promise.all([
    import('node:fs'),
    import('node:tty'),
  ]);
  try {
    return new TerminalStream(openSync('/dev/tty', 'r'));
  } catch {
    return undefined;
  }
}

/**
 * Reads one line from the person at the terminal, trimmed; empty for Ctrl-D.
 * @throws the reason of `stopping`.
 */
export async function askLine(
  question: string,
  { stdin, streams, stopping }: Pick<Context, 'stdin' | 'streams' | 'stopping'>,
): Promise<string> {
  writeError(streams, `${wrapText(terminalText(question), streams.errorColumns - 1).join('\n')} `);
  // After Ctrl-D the stream emits nothing more, not even its end.
  const isLeft = 'readableEnded' in stdin && stdin.readableEnded === true;
  const answer = isLeft ? undefined : await nextLine({ stdin, stopping });
  // Ctrl-C and Ctrl-D leave the cursor behind the question.
  if (answer === undefined) writeError(streams, '\n');
  stopping.throwIfAborted();
  return answer?.trim() ?? '';
}

/** The next line of `stdin`; undefined if the stream ends, or the process is stopped, before a line is typed. */
async function nextLine({ stdin, stopping }: Pick<Context, 'stdin' | 'stopping'>) {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: stdin, signal: stopping });
  const line = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(undefined));
  });
  lines.close();
  return line;
}

/** True if a person sees the question on stderr and types on stdin. */
export function canAsk({ stdin, streams }: Pick<Context, 'stdin' | 'streams'>): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true && streams.isErrorTerminal;
}

/**
 * Reads a line from the terminal without echoing it; empty for Ctrl-D. The terminal is restored in any case.
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
  // Only from here on does the terminal not echo.
  writeError(streams, `${terminalText(question)}: `);
  const end = () => lines.close();
  stopping.addEventListener('abort', end, { once: true });
  try {
    const typed = await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(''));
      // In this mode the terminal sends Ctrl-C as a key, not as a signal.
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
