import { readdirSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readProfile } from '../../src/config/profiles.ts';
import { fileWith, testFolder } from './folder.ts';

const two = {
  current: 'live',
  profiles: { live: { 'base-url': 'https://live.example', token: 'abc' }, test: { 'batch-size': 5 } },
};

/** The profile a config file with this content gives, and the path of the file. */
function read(content: unknown, wanted?: string, mode = 0o600) {
  const folder = testFolder();
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const path = fileWith(text, { folder, name: 'config.json', mode });
  return { path, profile: readProfile({ config: folder, state: folder }, wanted) };
}

describe('a profile', () => {
  it('is the one that is named', async () => {
    expect(await read(two, 'test').profile).toEqual({ name: 'test', settings: { 'batch-size': 5 } });
  });

  it('is the current one where none is named', async () => {
    expect(await read(two).profile).toEqual({ name: 'live', settings: two.profiles.live });
  });

  it('is an empty one without a config file, and none is made', async () => {
    const folder = testFolder();
    const profile = await readProfile({ config: folder, state: folder }, undefined);
    expect(profile).toEqual({ name: 'default', settings: {} });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('named default needs no entry', async () => {
    expect(await read({}, 'default').profile).toEqual({ name: 'default', settings: {} });
  });

  it('that nobody has made is refused with the names there are', async () => {
    await expect(read(two, 'tset').profile).rejects.toMatchObject({
      kind: 'config',
      message: "there is no profile 'tset'",
      hint: 'profiles: live, test',
    });
  });

  it('that is current but gone is refused too', async () => {
    await expect(read({ current: 'gone', profiles: {} }).profile).rejects.toMatchObject({
      message: "there is no profile 'gone'",
    });
  });

  it.each(['__proto__', 'constructor', 'toString'])('is not what every object has: %s', async (name) => {
    await expect(read(two, name).profile).rejects.toMatchObject({ message: `there is no profile '${name}'` });
  });

  it.each(['', '../live', 'a/b', 'a.b', '사과', 'a'.repeat(65)])('is not named "%s"', async (name) => {
    await expect(read(two, name).profile).rejects.toMatchObject({ message: `'${name}' is no profile name` });
  });
});

describe('a config file', () => {
  it.each([0o640, 0o604, 0o620, 0o666])('that others may open (%o) is refused', async (mode) => {
    const { path, profile } = read(two, undefined, mode);
    await expect(profile).rejects.toMatchObject({
      kind: 'config',
      message: `${path} may be read by others, and it holds credentials`,
      hint: `chmod 600 ${path}`,
    });
  });

  it.each([
    ['is cut', '{"profiles":{"a":{"token":"canary', 'it is not JSON at position 33'],
    ['has a stray word', '{"profiles": canary}', 'it is not JSON'],
    ['is empty', '', 'it is not JSON'],
    ['is a list', '["canary"]', 'it: Invalid input: expected object, received array'],
    [
      'has settings that are none',
      '{"profiles":{"a":"canary"}}',
      'profiles.a: Invalid input: expected record, received string',
    ],
    [
      'has a current profile that is no name',
      '{"current":"../canary"}',
      'current: Invalid string: must match pattern /^[\\w-]{1,64}$/',
    ],
  ])('that %s is refused without a word of what it holds', async (_, text, why) => {
    const { path, profile } = read(text);
    const error: unknown = await profile.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      kind: 'config',
      exitCode: 2,
      message: `${path} cannot be used: ${why}`,
      hint: 'correct it, or move it away and set up again',
    });
    expect(inspect(error)).not.toContain('canary');
  });

  it('may begin with a byte order mark', async () => {
    expect((await read(`\ufeff${JSON.stringify(two)}`).profile).name).toBe('live');
  });
});
