import { Failure } from '../../base/failure.ts';
import { isTokenOnStdin } from '../../config/token.ts';
import type { Invocation } from './command.ts';

/**
 * Standard input for `what` (`the body`); on a terminal it is said that it is being read.
 * @throws Failure('usage') where the credential is to come from there.
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
