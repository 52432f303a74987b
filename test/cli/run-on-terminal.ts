import { spawn } from '@lydell/node-pty';
import { programPath } from './run-cli.ts';

/** What a terminal was given, both streams in the order they came, and how the program ended. */
export interface TerminalResult {
  readonly exitCode: number;
  readonly shown: string;
}

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Cells of a line. */
  readonly columns?: number;
  /** Told after every piece of what stands there so far; `type` is the keyboard. */
  readonly onShown?: (shown: string, type: (keys: string) => void) => void;
}

/** Runs the built program on a terminal; line ends are told as the program wrote them. */
export function runOnTerminal(
  args: readonly string[],
  { env, cwd, columns = 100, onShown }: TerminalOptions,
): Promise<TerminalResult> {
  return new Promise((resolve) => {
    const terminal = spawn(process.execPath, [programPath, ...args], {
      env: { TERM: 'xterm-256color', ...env },
      cols: columns,
      ...(cwd === undefined ? {} : { cwd }),
    });
    let shown = '';
    terminal.onData((text) => {
      shown += text;
      onShown?.(shown, (keys) => terminal.write(keys));
    });
    terminal.onExit(({ exitCode }) => resolve({ exitCode, shown: shown.replaceAll('\r\n', '\n') }));
  });
}
