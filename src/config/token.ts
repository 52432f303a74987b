import { promisify } from 'node:util';
import { commandWords } from '../base/command-words.ts';
import { Failure } from '../base/failure.ts';
import { hint, reviewctl } from '../base/hint.ts';
import { redactSecrets } from '../base/redact.ts';
import { readStream } from '../base/regular-file.ts';
import type { Environment } from './folders.ts';
import { credentialsToken, credentialsVariable } from './mounted-secret.ts';
import { readPrivateFile } from './private-file.ts';
import { environmentName, type FoundSetting, findSetting, type SettingSources } from './setting-sources.ts';

/** The stream that a file named `-` is read from, and the signal that ends reading. */
interface StandardInput {
  readonly stdin: NodeJS.ReadableStream;
  readonly stopping?: AbortSignal | undefined;
}

/** The credential and its source. */
export interface FoundToken {
  readonly token: string;
  readonly place: string;
}

const tokenVariables: readonly string[] = ['token', 'tokenFile', 'tokenCommand'].map(environmentName);

const tokenCommandTimeoutMs = 30_000;
const tokenLengthMaximum = 4096;
const tokenCommandOutputMaximum = 64 * 1024;
/** Characters shown of an error text. */
const complaintMaximum = 300;

/** The variables in this environment that give a credential or its location, strongest first. */
export function setTokenVariables(env: Environment): readonly string[] {
  const named = tokenVariables.filter((name) => env[name]);
  return credentialsToken(env) === undefined ? named : [...named, credentialsVariable];
}

/** The credential file named on the command line. */
export function typedTokenFile(sources: SettingSources): string | undefined {
  const found = findSetting(sources, 'tokenFile');
  return found?.origin === 'flag' ? String(found.value) : undefined;
}

/** True if the credential is read from standard input. */
export function isTokenOnStdin(sources: SettingSources): boolean {
  const file = findSetting(sources, 'tokenFile');
  return file?.value === '-' && (file.origin === 'flag' || !sources.env[environmentName('token')]);
}

/** The token among the credentials that systemd passes to a unit, as a setting whose value is the path of its file. */
export function systemdToken(env: Environment): FoundSetting | undefined {
  const path = credentialsToken(env);
  return path === undefined
    ? undefined
    : { value: path, origin: 'environment', place: `${credentialsVariable} ${path}` };
}

/**
 * Finds the Basic credential (API 5) in the strongest layer that has one: flags, environment, systemd credentials,
 * profile. Within the environment, the token itself precedes a file, and a file precedes a command. A token stored in a
 * profile comes last: a file or a command set there by a person overrides it. No flag takes the token itself, because
 * other users of the machine can read command lines.
 * @throws Failure('not-authenticated') if there is none; Failure('config') if it is not a valid token or its command
 * fails; Failure('unreadable-path') if its file cannot be read; the reason of `stopping`.
 */
export async function findToken(sources: SettingSources, input: StandardInput): Promise<FoundToken> {
  const { env, profile } = sources;
  const variable = environmentName('token');
  const kept = profile.settings['token'];
  const file = findSetting(sources, 'tokenFile');
  const command = findSetting(sources, 'tokenCommand');
  const passed = systemdToken(env);
  for (const layer of ['flag', 'environment', 'systemd', 'profile'] as const) {
    if (layer === 'environment' && env[variable]) return checkedToken(env[variable], variable);
    if (layer === 'systemd' && passed !== undefined) {
      return checkedToken(await readTokenFile(String(passed.value), input, env), passed.place);
    }
    if (file?.origin === layer) {
      const path = String(file.value);
      return checkedToken(await readTokenFile(path, input, env), `${file.place} ${path}`);
    }
    if (command?.origin === layer) {
      return checkedToken(
        await runTokenCommand(String(command.value), command.place, input.stopping),
        command.place,
      );
    }
  }
  if (kept !== undefined) return checkedToken(kept, `profile ${profile.name}`);
  const address = findSetting(sources, 'baseUrl');
  const login = reviewctl`login --profile ${profile.name}`;
  // What precedes @ may be a password, and an address with one is refused.
  const loginAt =
    typeof address?.value === 'string' && !address.value.includes('@')
      ? reviewctl`login --profile ${profile.name} --base-url ${address.value}`
      : reviewctl`login --profile ${profile.name} --base-url https://…`;
  throw new Failure(
    'not-authenticated',
    `no credential is given, and profile ${profile.name} keeps none`,
    hint`${address?.origin === 'profile' ? login : loginAt}; or set REVIEWCTL_TOKEN, or name a file that
      holds it: -c token-file=PATH`,
  );
}

/**
 * The Basic credential of an access key (API 5; assumption: Basic token derivation).
 * @throws Failure('config') for an invalid access key.
 */
export function tokenOfKey(keyId: string, secret: string): string {
  if (!/^[\x21-\x39\x3b-\x7e]+$/.test(keyId) || !/^[\x20-\x7e]+$/.test(secret)) {
    throw new Failure(
      'config',
      'invalid access key',
      'key id and secret are printable ASCII characters, the id without blanks and colons',
    );
  }
  return Buffer.from(`${keyId}:${secret}`).toString('base64');
}

/**
 * The credential in the text read from `place`, without surrounding white space and scheme name.
 * @throws Failure('config') if it is not a valid token.
 */
export function checkedToken(raw: unknown, place: string): FoundToken {
  const token = typeof raw === 'string' ? raw.trim().replace(/^Basic\s+/i, '') : '';
  if (!/^[\x21-\x7e]+$/.test(token) || token.length > tokenLengthMaximum) {
    throw new Failure(
      'config',
      `invalid token from ${place}`,
      'a token is one word of printable ASCII characters',
    );
  }
  return { token, place };
}

/** Reads a private file; `-` is standard input. @throws as `readPrivateFile`. */
export async function readTokenFile(path: string, input: StandardInput, env: Environment): Promise<string> {
  const { stdin, stopping } = input;
  return path === '-'
    ? readStream(stdin, stopping, tokenLengthMaximum)
    : readPrivateFile(path, 'token-file', { env, stopping });
}

async function runTokenCommand(
  command: string,
  place: string,
  stopping: AbortSignal | undefined,
): Promise<string> {
  const [program, ...args] = commandWords(command, place);
  const { execFile } = await import('node:child_process');
  try {
    const running = promisify(execFile)(program, args, {
      timeout: tokenCommandTimeoutMs,
      maxBuffer: tokenCommandOutputMaximum,
      ...(stopping && { signal: stopping }),
    });
    // A command that reads standard input would otherwise wait until it is killed.
    running.child.stdin?.end();
    return (await running).stdout;
  } catch (error) {
    stopping?.throwIfAborted();
    throw new Failure(
      'config',
      `the token command '${program}' ${howItFailed(error)}${complaintOf(error, args)}`,
      'run it by hand; it must print the token and exit 0',
    );
  }
}

function howItFailed(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if ('killed' in error && error.killed) return `took longer than ${tokenCommandTimeoutMs / 1000} s`;
  if ('signal' in error && typeof error.signal === 'string') return `was ended by ${error.signal}`;
  return 'code' in error ? `failed (${String(error.code)})` : 'failed';
}

/**
 * The last line that the command wrote to stderr. It is dropped if the command also printed it to stdout, and words of
 * stdout or of the arguments are redacted in it: both may be the secret.
 */
function complaintOf(error: unknown, args: readonly string[]): string {
  if (!(error instanceof Error && 'stderr' in error && 'stdout' in error)) return '';
  const last = String(error.stderr).trimEnd().split('\n').at(-1)?.trim() ?? '';
  const printed = String(error.stdout);
  if (last === '' || printed.includes(last)) return '';
  return `: ${redactSecrets(last.slice(0, complaintMaximum), [...printed.split(/\s+/), ...args.filter(mayBeSecret)])}`;
}

/** False for plain words: they are names and options, which a useful error text has to quote. */
function mayBeSecret(word: string): boolean {
  return !/^[a-z/:._-]{1,32}$/i.test(word);
}
