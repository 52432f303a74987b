import { spawn } from '@lydell/node-pty';
import { programPath } from './run-cli.ts';

/** The output on the terminal, both streams in order of arrival, and the exit code of the program. */
export interface TerminalResult {
  readonly exitCode: number;
  readonly shown: string;
}

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input from a pipe; by default it is the keyboard. */
  readonly stdin?: string;
  /** Columns of the terminal; 0 for a terminal that does not know its width. */
  readonly columns?: number;
  /** Keys to type in order, each after its question is shown. */
  readonly answers?: readonly (readonly [question: string, keys: string])[];
  /** Called after each chunk with all output so far; `type` types keys, `kill` signals the program. */
  readonly onShown?: (shown: string, type: (keys: string) => void, kill: (signal: string) => void) => void;
}

/** Runs the built program on a terminal; line ends are returned as the program wrote them. */
export function runOnTerminal(
  args: readonly string[],
  { env, cwd, stdin, columns = 100, answers = [], onShown }: TerminalOptions,
): Promise<TerminalResult> {
  return new Promise((resolve) => {
    const program = [process.execPath, programPath, ...args];
    const piped = ['bash', '-c', 'printf %s "$0" | "$@"', stdin ?? '', ...program];
    const whole = stdin === undefined ? program : piped;
    // node-pty cannot open a terminal of width 0, but stty can set the width.
    const unsized = ['bash', '-c', 'stty cols 0 && exec "$0" "$@"', ...whole];
    const [file = '', ...words] = columns === 0 ? unsized : whole;
    const terminal = spawn(file, words, {
      env: { TERM: 'xterm-256color', ...env },
      cols: columns || 80,
      ...(cwd === undefined ? {} : { cwd }),
    });
    let shown = '';
    let answered = 0;
    terminal.onData((text) => {
      shown += text;
      const [question, keys] = answers[answered] ?? [];
      if (question !== undefined && keys !== undefined && shown.includes(question)) {
        answered += 1;
        terminal.write(keys);
      }
      onShown?.(
        shown,
        (keys) => terminal.write(keys),
        (signal) => terminal.kill(signal),
      );
    });
    terminal.onExit(({ exitCode }) => resolve({ exitCode, shown: shown.replaceAll('\r\n', '\n') }));
  });
}
