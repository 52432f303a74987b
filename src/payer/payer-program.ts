import { accessSync, constants, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { commandWords } from '../base/command-words.ts';
import { Failure, messageOf, systemCodeOf } from '../base/failure.ts';
import { requireOwn } from '../base/path-exposure.ts';
import { shellWord } from '../base/shell-word.ts';
import { readTraceparent } from '../base/trace-context.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A program, ready to run. */
export type PayerProgram = ReturnType<typeof findPayerProgram>;

interface PayerProgramOptions {
  /** The user's command, and the flag with which it was set. */
  readonly command: string;
  readonly flag: string;
  readonly env: Environment;
  /** The names of additional variables to pass. */
  readonly passedVariables: readonly string[];
}

/** Variables that any program may need to run; none of them is ours. */
const usualVariables = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

/**
 * Finds the program of a command line, and checks it before money depends on it.
 * @throws Failure('config') unless it is the absolute path of a program that this user may run and that no other user
 *   except root can change or replace; and for a variable that is unset or our own.
 */
export function findPayerProgram({ command, flag, env, passedVariables }: PayerProgramOptions) {
  const [path, ...args] = payerCommandWords(command, flag);
  checkProgram(path, flag);
  const passed = passedVariables.map((name) => [name, passedValue(name, env)] as const);
  const usual = usualVariables.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  return {
    path,
    args,
    /** Its working folder: its own. */
    folder: dirname(path),
    /** All variables that it receives. */
    env: Object.fromEntries([...usual, ...passed]),
    /** The trace of its calls. */
    trace: readTraceparent(env['TRACEPARENT']),
    /** The values of passed variables that may be credentials. */
    secrets: passed.map(([, value]) => value).filter(mayBeSecret),
  };
}

/**
 * The words of a command with an absolute path; the program need not exist.
 * @throws Failure('config') for a relative path, and as `commandWords`.
 */
export function payerCommandWords(
  command: string,
  flag: string,
): readonly [program: string, ...args: string[]] {
  const words = commandWords(command, flag);
  const [path] = words;
  if (isAbsolute(path)) return words;
  throw new Failure(
    'config',
    `${flag}: ${path} is not an absolute path`,
    `name the program in full, as \`${path.includes('/') ? 'realpath' : 'command -v'} ${shellWord(path)}\` prints it`,
  );
}

function checkProgram(path: string, flag: string): void {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new Failure('config', `${flag}: ${path} is not a file`, 'name a program');
    requireOwn(path, 'config', 'moves money');
    accessSync(path, constants.X_OK);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (systemCodeOf(error) === 'ENOENT') {
      throw new Failure('config', `${flag}: ${path} does not exist`, 'check the path', { cause: error });
    }
    throw new Failure(
      'config',
      `${flag}: ${path} cannot be run: ${messageOf(error)}`,
      `check the path; to make a script a program: chmod +x ${shellWord(path)}`,
      { cause: error },
    );
  }
}

/** True unless the value is a path or a plain address; redacting those would garble all other messages. */
function mayBeSecret(value: string): boolean {
  if (isAbsolute(value)) return false;
  if (!/^https?:/.test(value) || !URL.canParse(value)) return true;
  const { username, password, search } = new URL(value);
  return username !== '' || password !== '' || search !== '';
}

function passedValue(name: string, env: Environment): string {
  if (name.startsWith('REVIEWCTL_')) {
    throw new Failure(
      'config',
      `-c payer-env=${name}: settings and credentials of reviewctl are not passed to a payer`,
      'give it a credential of its own, in a variable of its own',
    );
  }
  const value = env[name];
  if (value !== undefined) return value;
  throw new Failure('config', `-c payer-env=${name}: there is no such variable`, `export ${name}=…`);
}
