import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPayerProgram, payerCommandWords } from '../../src/payer/payer-program.ts';
import { shellProgram, testFolder } from './programs.ts';

const flag = '--payer-command';

function find(
  command: string,
  env: Readonly<Record<string, string | undefined>> = {},
  passedVariables: readonly string[] = [],
) {
  return findPayerProgram({ command, flag, env, passedVariables });
}

describe('a program', () => {
  it('is a path with its words, and runs in its own folder', () => {
    const folder = testFolder();
    const path = shellProgram('exit 0', { folder });
    expect(find(`${path} 'a b' c`)).toMatchObject({ path, args: ['a b', 'c'], folder });
  });

  it('gets the usual variables, those that are named, and no other', () => {
    const usual = { PATH: '/bin', HOME: '/h', LANG: 'ko', LC_ALL: 'C', TZ: 'Asia/Seoul', TMPDIR: '/t' };
    const env = { ...usual, SHOP_KEY: 'k', EMPTY: '', SECRET: 's', REVIEWCTL_TOKEN: 't' };
    const path = shellProgram('exit 0');
    expect(find(path, env, ['SHOP_KEY', 'EMPTY']).env).toEqual({ ...usual, SHOP_KEY: 'k', EMPTY: '' });
    expect(find(path, { PATH: '', HOME: undefined }).env).toEqual({});
  });

  it.each([
    ['sk-live-1', true],
    ['relative/path', true],
    ['/a/path', false],
    ['https://pay.example/a', false],
    ['http://pay.example/a', false],
    ['ftp://pay.example/a', true],
    ['https://', true],
    ['https://me@pay.example/a', true],
    ['https://:pw@pay.example/a', true],
    ['https://pay.example/a?key=1', true],
    ['xhttps://pay.example/a', true],
  ])('is given %s, which is a secret: %s', (value, isSecret) => {
    const { secrets } = find(shellProgram('exit 0'), { SHOP_KEY: value }, ['SHOP_KEY']);
    expect(secrets).toEqual(isSecret ? [value] : []);
  });

  it('takes part in the trace of its caller', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect(find(shellProgram('exit 0'), { TRACEPARENT: traceparent }).trace).toBeDefined();
    expect(find(shellProgram('exit 0')).trace).toBeUndefined();
  });
});

describe('a program that cannot move money', () => {
  const folder = testFolder;
  /** A program with this mode, or in a folder with this mode. */
  const exposed =
    (mode: number, part = (path: string) => path) =>
    () => {
      const path = shellProgram('exit 0');
      chmodSync(part(path), mode);
      return path;
    };

  it.each<[what: string, command: () => string, message: RegExp, hint: RegExp]>([
    [
      'without a full path',
      () => 'pay now',
      /^--payer-command: pay is not an absolute path$/,
      /^name the program in full, as `command -v pay` prints it$/,
    ],
    [
      'in the working folder',
      () => './pay.sh now',
      /^--payer-command: .\/pay.sh is not an absolute path$/,
      /^name the program in full, as `realpath .\/pay.sh` prints it$/,
    ],
    ['that is a folder', folder, /^--payer-command: .* is not a file$/, /^name a program$/],
    [
      'that does not exist',
      () => `${folder()}/none`,
      /^--payer-command: .*\/none does not exist$/,
      /^check the path$/,
    ],
    [
      'that is no program',
      () => shellProgram('exit 0', { mode: 0o644 }),
      /cannot be run: EACCES/,
      /chmod \+x/,
    ],
    ['that others can change', exposed(0o757), /moves money/, /^chmod go-w /],
    ['that its group can change', exposed(0o775), /moves money/, /^chmod go-w /],
    ['in a folder that its group can change', exposed(0o775, dirname), /moves money/, /^chmod go-w /],
  ])('%s is refused, with what to do', (_, command, message, hint) => {
    expect(() => find(command())).toThrow(
      expect.objectContaining({
        kind: 'config',
        message: expect.stringMatching(message),
        hint: expect.stringMatching(hint),
      }),
    );
  });

  it.each([
    [
      'REVIEWCTL_TOKEN',
      '-c payer-env=REVIEWCTL_TOKEN: settings and credentials of reviewctl are not passed to a payer',
      'give it a credential of its own, in a variable of its own',
    ],
    ['UNSET', '-c payer-env=UNSET: there is no such variable', 'export UNSET=…'],
  ])('because of the variable %s is refused', (name, message, hint) => {
    expect(() => find(shellProgram('exit 0'), { REVIEWCTL_TOKEN: 't' }, [name])).toThrow(
      expect.objectContaining({ kind: 'config', message, hint }),
    );
  });
});

it('the words of a command need no program that exists', () => {
  expect(payerCommandWords('/none a', flag)).toEqual(['/none', 'a']);
});
