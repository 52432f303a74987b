import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { kebabCase } from '../../src/base/name-case.ts';
import type { Environment } from '../../src/config/folders.ts';
import { findToken } from '../../src/config/token.ts';
import { fileWith, testFolder } from './folder.ts';

const sourcesOf = (overrides: JsonObject, env: Environment = {}, settings: JsonObject = {}) => ({
  ...{ flags: {}, overrides, env, project: {} },
  profile: { name: 'shop', settings },
});

interface Places {
  readonly typed?: { readonly tokenFile?: string; readonly tokenCommand?: string };
  readonly env?: Environment;
  readonly profile?: JsonObject;
  readonly stdin?: string;
}

function find({ typed = {}, env = {}, profile = {}, stdin = '' }: Places) {
  const overrides = Object.fromEntries(
    Object.entries(typed).map(([name, value]) => [kebabCase(name), value]),
  );
  return findToken(sourcesOf(overrides, env, profile), { stdin: Readable.from([stdin]) });
}

/** A command that runs this script; its words have no blanks. */
const running = (script: string) => `${process.execPath} ${fileWith(script, { name: 'command.cjs' })}`;
const printing = (text: string) => running(`process.stdout.write(${JSON.stringify(text)})`);

describe('the credential is found', () => {
  it('in the environment', async () => {
    const token = { token: 'abc=', place: 'REVIEWCTL_TOKEN' };
    expect(await find({ env: { REVIEWCTL_TOKEN: 'abc=' } })).toEqual(token);
  });

  it('in a file', async () => {
    const tokenFile = fileWith('abc\n');
    const token = { token: 'abc', place: `-c token-file ${tokenFile}` };
    expect(await find({ typed: { tokenFile } })).toEqual(token);
  });

  it.each([
    ['on standard input', { typed: { tokenFile: '-' }, stdin: 'abc\r\n' }, '-c token-file -'],
    ['in the profile', { profile: { token: 'abc' } }, 'profile shop'],
  ])('%s', async (_, places, place) => {
    expect(await find(places)).toEqual({ token: 'abc', place });
  });

  it('in what a command prints', async () => {
    const token = { token: 'abc', place: '-c token-command' };
    expect(await find({ typed: { tokenCommand: printing('abc\n') } })).toEqual(token);
  });

  it.each([
    ['white space around it', ' \tabc \n'],
    ['a byte order mark', '\ufeffabc'],
    ['the scheme before it', 'Basic abc'],
  ])('with %s', async (_, text) => {
    expect((await find({ typed: { tokenFile: fileWith(text) } })).token).toBe('abc');
  });

  it('nowhere, and the failure says where to put it', async () => {
    await expect(find({})).rejects.toMatchObject({
      kind: 'not-authenticated',
      exitCode: 4,
      message: 'no credential is given, and profile shop keeps none',
      hint: 'reviewctl login --profile shop --base-url https://…; or set REVIEWCTL_TOKEN, or name a file that holds it: -c token-file=PATH',
    });
  });
});

describe('of several credentials', () => {
  it('that of a flag outranks those of the environment and the profile', async () => {
    const typed = { tokenFile: fileWith('flag') };
    const env = { REVIEWCTL_TOKEN: 'environment', REVIEWCTL_TOKEN_FILE: fileWith('environment') };
    const profile = { token: 'profile', 'token-file': fileWith('profile') };
    expect((await find({ typed, env, profile })).token).toBe('flag');
  });

  it('that of a command given as a flag outranks a file of the environment', async () => {
    const typed = { tokenCommand: printing('flag') };
    const env = { REVIEWCTL_TOKEN_FILE: fileWith('environment') };
    expect((await find({ typed, env })).token).toBe('flag');
  });

  it.each(['token-file', 'token-command'])(
    'that of the environment outranks the %s of a profile',
    async (setting) => {
      const profile = { [setting]: setting === 'token-file' ? fileWith('profile') : printing('profile') };
      expect(await find({ env: { REVIEWCTL_TOKEN: 'environment' }, profile })).toEqual({
        token: 'environment',
        place: 'REVIEWCTL_TOKEN',
      });
    },
  );

  it('that of a file named in the environment outranks the one kept in the profile', async () => {
    const path = fileWith('environment');
    expect(await find({ env: { REVIEWCTL_TOKEN_FILE: path }, profile: { token: 'profile' } })).toEqual({
      token: 'environment',
      place: `REVIEWCTL_TOKEN_FILE ${path}`,
    });
  });

  it('that of a file named in the profile outranks the one kept there', async () => {
    const path = fileWith('profile');
    expect(await find({ profile: { token: 'kept', 'token-file': path } })).toEqual({
      token: 'profile',
      place: `profile shop ${path}`,
    });
  });

  it('the one that systemd passes outranks that of the profile, and nothing else', async () => {
    const folder = testFolder();
    const path = fileWith('systemd\n', { name: 'reviewctl-token', mode: 0o440, folder });
    const env = { CREDENTIALS_DIRECTORY: folder };
    const profile = { token: 'profile', 'token-file': fileWith('profile') };
    expect(await find({ env, profile })).toEqual({
      token: 'systemd',
      place: `CREDENTIALS_DIRECTORY ${path}`,
    });
    const stronger = [
      await find({ env, typed: { tokenFile: fileWith('flag') } }),
      await find({ env: { ...env, REVIEWCTL_TOKEN: 'environment' } }),
      await find({ env: { ...env, REVIEWCTL_TOKEN_FILE: fileWith('file') } }),
      await find({ env: { ...env, REVIEWCTL_TOKEN_COMMAND: printing('command') } }),
    ];
    expect(stronger.map(({ token }) => token)).toEqual(['flag', 'environment', 'file', 'command']);
  });

  it('that of the profile is found where systemd passes other credentials', async () => {
    const folder = testFolder();
    fileWith('other', { name: 'other', folder });
    expect(await find({ env: { CREDENTIALS_DIRECTORY: folder }, profile: { token: 'profile' } })).toEqual({
      token: 'profile',
      place: 'profile shop',
    });
  });

  it('an empty variable is none', async () => {
    const env = { REVIEWCTL_TOKEN: '', REVIEWCTL_TOKEN_FILE: '' };
    expect((await find({ env, profile: { token: 'profile' } })).token).toBe('profile');
  });
});

describe('what is not a token is refused without repeating it', () => {
  it.each([
    ['two words', 'canary canary'],
    ['another alphabet', 'canary사과'],
    ['a control character', 'canary\u0007x'],
    ['more than any token has', 'canary'.repeat(1000)],
    ['nothing', ' \n'],
  ])('%s', async (_, text) => {
    const tokenFile = fileWith(text);
    await expect(find({ typed: { tokenFile } })).rejects.toMatchObject({
      kind: 'config',
      message: `invalid token from -c token-file ${tokenFile}`,
    });
  });

  it('a setting of a profile that is no text', async () => {
    await expect(find({ profile: { token: 12345 } })).rejects.toMatchObject({
      message: 'invalid token from profile shop',
    });
  });

  it('an endless standard input, of which only the beginning is read', async () => {
    let chunks = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          chunks += 1;
          yield 'x'.repeat(1000);
        }
      })(),
    );
    const found = findToken(sourcesOf({ 'token-file': '-' }), { stdin: endless });
    await expect(found).rejects.toMatchObject({ message: 'invalid token from -c token-file -' });
    expect(chunks).toBeLessThan(100);
  });
});

describe('what the credential is read from may never end, and an interruption ends the reading', () => {
  /** The error of `findToken` if it is interrupted as soon as it reads. */
  function interrupted(typed: Places['typed'] = {}): Promise<unknown> {
    const interruption = new AbortController();
    const sources = { flags: typed, env: {}, project: {}, profile: { name: 'shop', settings: {} } };
    const stdin = new Readable({ read: () => undefined });
    const found = findToken(sources, { stdin, stopping: interruption.signal }).catch((error) => error);
    setImmediate(() => interruption.abort(new Failure('interrupted', 'interrupted before the end')));
    return found;
  }

  it.each([
    ['standard input', { tokenFile: '-' }],
    ['a command', { tokenCommand: 'sleep 5' }],
  ])('%s', async (_, typed) => {
    expect(await interrupted(typed)).toMatchObject({ kind: 'interrupted' });
  });

  it('a pipe that the process was given open', async () => {
    const path = join(testFolder(), 'pipe');
    execFileSync('sh', ['-c', 'mkfifo -m 600 "$0"', path]);
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writing = openSync(path, 'w');
    onTestFinished(() => closeSync(writing));
    expect(await interrupted({ tokenFile: `/dev/fd/${fd}` })).toMatchObject({ kind: 'interrupted' });
  });
});

describe('a token file', () => {
  it.each([0o604, 0o640])(
    'that others may read is refused with the command that closes it (%o)',
    async (mode) => {
      const tokenFile = fileWith('canary', { mode });
      await expect(find({ typed: { tokenFile } })).rejects.toMatchObject({
        kind: 'config',
        message: `${tokenFile} is open to other users of this machine, and it holds secrets`,
        hint: `chmod 600 ${tokenFile}; mount a secret of Kubernetes below /run/secrets, with defaultMode: 0400`,
      });
    },
  );

  it.each([0o602, 0o601, 0o620, 0o610])('that others may write or run is refused, too (%o)', async (mode) => {
    await expect(find({ typed: { tokenFile: fileWith('canary', { mode }) } })).rejects.toMatchObject({
      kind: 'config',
    });
  });

  it('that everyone may read is taken where a container or systemd has mounted it read-only', async () => {
    const folder = testFolder();
    const tokenFile = fileWith('abc', { mode: 0o444, folder });
    expect((await find({ typed: { tokenFile }, env: { CREDENTIALS_DIRECTORY: folder } })).token).toBe('abc');
    await expect(find({ typed: { tokenFile } })).rejects.toMatchObject({ kind: 'config' });
  });

  it.each([
    ['is missing', () => `${testFolder()}/none`, 'ENOENT'],
    ['is a folder', testFolder, 'it is a folder, not a file'],
  ])('that %s is an unreadable path', async (_, path, code) => {
    await expect(find({ typed: { tokenFile: path() } })).rejects.toMatchObject({
      kind: 'unreadable-path',
      exitCode: 2,
      message: expect.stringContaining(code) as string,
    });
  });
});

describe('a token command', () => {
  const failing = (script: string) =>
    running(`process.stdout.write('canary');process.stderr.write('canary');${script}`);

  it.each([
    ['fails', 'process.exitCode = 3', 'failed (3)'],
    ['is killed', "process.kill(process.pid, 'SIGTERM')", 'was ended by SIGTERM'],
    // Prints as fast as the pipe accepts, so that a slow reader must not end it.
    [
      'prints without end',
      "const print = () => process.stdout.write('canary'.repeat(1000), print); print()",
      'failed (ERR_CHILD_PROCESS_STDIO_MAXBUFFER)',
    ],
  ])('that %s is told without what it printed', async (_, script, how) => {
    const error: unknown = await find({ typed: { tokenCommand: `${failing(script)} canary` } }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      kind: 'config',
      message: `the token command '${process.execPath}' ${how}`,
      hint: 'run it by hand; it must print the token and exit 0',
    });
    expect(inspect(error)).not.toContain('canary');
  });

  it('that does not exist is told', async () => {
    await expect(find({ typed: { tokenCommand: 'no-such-program-here x' } })).rejects.toMatchObject({
      message: "the token command 'no-such-program-here' failed (ENOENT)",
    });
  });

  it('has words and quotes as the command of a payer', async () => {
    const script = fileWith('process.stdout.write(process.argv[2])', { name: 'print it.cjs' });
    const tokenCommand = `${process.execPath} "${script}" 'abc='`;
    expect((await find({ typed: { tokenCommand } })).token).toBe('abc=');
  });

  it.each([
    ['an open quote', 'pass "show', '-c token-command: a quote is not closed'],
    [
      'a pipe',
      'pass show x | head -1',
      "-c token-command: '|' needs a shell, but the command is run without one",
    ],
    ['nothing', ' ', '-c token-command does not name a program'],
  ])('with %s is refused with what is wrong', async (_, tokenCommand, message) => {
    await expect(find({ typed: { tokenCommand } })).rejects.toMatchObject({ kind: 'config', message });
  });

  it('that fails is told with the last line of its stderr, without what may be secret', async () => {
    const script = fileWith(
      "console.log('tok3nOfStdout'); console.error('first\\nno entry vault/x for s3cret-arg and tok3nOfStdout');" +
        'process.exitCode = 1',
      { name: 'command.cjs' },
    );
    await expect(
      find({ typed: { tokenCommand: `${process.execPath} ${script} s3cret-arg` } }),
    ).rejects.toMatchObject({
      message: `the token command '${process.execPath}' failed (1): no entry vault/x for [redacted] and [redacted]`,
    });
  });

  it('that reads its input finds none and does not wait', async () => {
    const tokenCommand = running(
      "process.stdin.on('data', () => 0).on('end', () => process.stdout.write('abc'))",
    );
    expect((await find({ typed: { tokenCommand } })).token).toBe('abc');
  });
});
