import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { Failure, messageOf } from '../base/failure.ts';
import type { Environment } from './folders.ts';
import type { Profile } from './profiles.ts';

export interface TokenSources {
  readonly env: Environment;
  readonly tokenFile: string | undefined;
  readonly tokenCommand: string | undefined;
  readonly profile: Profile;
  readonly stdin: NodeJS.ReadableStream;
}

/** The credential, and where it was found. */
export interface FoundToken {
  readonly token: string;
  readonly place: string;
}

const tokenCommandTimeoutMs = 30_000;
const tokenLengthMaximum = 4096;

/**
 * The Basic credential (API 5): `--token-file`, `--token-command`, REVIEWCTL_TOKEN or the profile, in this order. There is
 * no flag that takes the value itself, since other users of the machine can read it there.
 * @throws Failure('not-authenticated') where there is none; Failure('config') where it cannot be read or is no token.
 */
export async function findToken(sources: TokenSources): Promise<FoundToken> {
  const { env, tokenFile, tokenCommand, profile } = sources;
  if (tokenFile !== undefined)
    return checked(await readTokenFile(tokenFile, sources.stdin), `--token-file ${tokenFile}`);
  if (tokenCommand !== undefined) return checked(await runTokenCommand(tokenCommand), '--token-command');
  const inEnvironment = env['REVIEWCTL_TOKEN'];
  if (inEnvironment) return checked(inEnvironment, 'REVIEWCTL_TOKEN');
  const kept = profile.settings['token'];
  if (typeof kept === 'string') return checked(kept, `profile ${profile.name}`);
  throw new Failure(
    'not-authenticated',
    'no credential is given',
    'set REVIEWCTL_TOKEN, or name a file that holds it: --token-file PATH',
  );
}

function checked(raw: string, place: string): FoundToken {
  const token = raw.trim().replace(/^Basic\s+/i, '');
  if (!/^[\x21-\x7e]+$/.test(token) || token.length > tokenLengthMaximum) {
    throw new Failure(
      'config',
      `what ${place} holds is no token`,
      'a token is one word of printable ASCII characters',
    );
  }
  return { token, place };
}

async function readTokenFile(path: string, stdin: NodeJS.ReadableStream): Promise<string> {
  try {
    if (path === '-') return await readAll(stdin);
    if (process.platform !== 'win32' && (statSync(path).mode & 0o007) !== 0) {
      throw new Failure(
        'config',
        `${path} may be read by everyone, and it holds the credential`,
        `chmod 600 ${path}`,
      );
    }
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      'unreadable-path',
      `the token file ${path} cannot be read: ${messageOf(error)}`,
      'check --token-file',
    );
  }
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.length > tokenLengthMaximum) break;
  }
  return text;
}

async function runTokenCommand(command: string): Promise<string> {
  const [program = '', ...args] = command.split(/\s+/).filter((word) => word !== '');
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: tokenCommandTimeoutMs });
    return stdout;
  } catch (error) {
    // What the command printed may hold the secret, so only its failure is repeated.
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new Failure(
      'config',
      `the token command '${program}' failed${code}`,
      'run it by hand; it must print the token and exit 0',
    );
  }
}
