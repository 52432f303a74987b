import { Failure } from '../../base/failure.ts';
import { isTokenOnStdin } from '../../config/token.ts';
import type { Invocation } from './command.ts';

/**
 * Returns standard input for `what` (`the body`); on a terminal, a notice says that it is read.
 * @throws Failure('usage') if the credential is read from there as well.
 */
export function standardInput(
  { context: { stdin }, notices, sources }: Invocation,
  what: string,
): NodeJS.ReadableStream {
  if (isTokenOnStdin(sources)) {
    throw new Failure(
      'usage',
      `standard input cannot hold both the credential and ${what}`,
      'pass the credential with REVIEWCTL_TOKEN or the setting token-command',
    );
  }
  if ('isTTY' in stdin && stdin.isTTY === true)
    notices.info(`reading ${what} from standard input; end it with Ctrl-D`);
  return stdin;
}
